/*
 * Sends the form of the page, which has the answer for a relying party, to the relying party.
 * Without scripts, the page has a button.
 */
document.forms[0].submit();
