"""Back ends with Firebase's Admin SDK, each a process of its own, in a network where names of Google lead to Gatehouse or without one."""
