"""Text messages on the way to gateways: what ours sends, beside what the gateways' own libraries send."""

import base64
import json
import re
import time
from urllib.parse import parse_qs

import boto3
import pytest
import requests
import standardwebhooks
import twilio.rest
import vonage
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from support.clients.api import API
from support.harness import wait_until
from support.names import TIMEOUT

NUMBER = "+4930123456"
SECRET = "a-secret-of-a-gateway-4711"


def send(site, number=NUMBER, **more):
    return API(site.url).succeed("sendVerificationCode", {"phoneNumber": number, **more})["sessionInfo"]


def form(request):
    return {name: values[0] for name, values in parse_qs(request["body"].decode(), keep_blank_values=True).items()}


def metrics(site):
    return requests.get(site.url + "/metrics", timeout=TIMEOUT).text


def code_in(text):
    return re.search(r"\b(\d{6})\b", text)[1]


def the_request(gateway, count=1):
    wait_until(lambda: len(gateway.requests) >= count)
    return gateway.requests[count - 1]


def test_a_page_of_the_operators_gets_a_message_that_standard_webhooks_verifies(sites, gateway, signing_secret):
    site = sites({"hook": {"url": f"{gateway.url}/sms", "secrets": [{"env": "HOOK"}]}}, {"HOOK": signing_secret})
    session = send(site, autoRetrievalInfo={"appSignatureHash": "FA+9qCX9VSu"})
    request = the_request(gateway)
    message = standardwebhooks.Webhook(signing_secret).verify(request["body"], request["headers"])
    code = code_in(message["text"])
    assert message["code"] == code and message["to"] == NUMBER and message["region"] == "DE"
    assert message["type"] == "sms" and message["purpose"] == "signIn" and message["projectId"] == "demo"
    assert message["id"] == request["headers"]["webhook-id"] and message["appSignatureHash"] == "FA+9qCX9VSu"
    assert message["text"].endswith("\nFA+9qCX9VSu") and 0 < message["expiresAt"] - time.time() <= 300
    signed_in = API(site.url).succeed("signInWithPhoneNumber", {"sessionInfo": session, "code": code})
    assert signed_in["phoneNumber"] == NUMBER and signed_in["isNewUser"] is True
    other = "whsec_" + base64.b64encode(b"x" * 32).decode()
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(other).verify(request["body"], request["headers"])


def test_a_message_is_tried_again_with_the_same_id_while_the_page_is_busy(sites, gateway, signing_secret):
    gateway.answers = [(503, ""), (204, "")]
    site = sites({"hook": {"url": f"{gateway.url}/sms", "secrets": [{"env": "HOOK"}]}}, {"HOOK": signing_secret})
    send(site)
    second = the_request(gateway, 2)
    assert second["headers"]["webhook-id"] == gateway.requests[0]["headers"]["webhook-id"]
    code_in(json.loads(second["body"])["text"])


@pytest.mark.parametrize("status", [200, 400, 410, 302, 500])
def test_a_message_that_was_taken_or_refused_is_not_sent_again(sites, gateway, signing_secret, status):
    gateway.answers = [(status, "")]
    site = sites({"hook": {"url": f"{gateway.url}/sms", "secrets": [{"env": "HOOK"}]}}, {"HOOK": signing_secret})
    send(site)
    code_in(json.loads(the_request(gateway)["body"])["text"])
    # A message to another number goes out behind it; the first one does not come again.
    send(site, "+4930123457")
    code_in(json.loads(the_request(gateway, 2)["body"])["text"])
    result = "sent" if status == 200 else "failed"
    wait_until(lambda: f'gatehouse_sms_total{{transport="hook",result="{result}"}} 2' in metrics(site))
    assert [json.loads(request["body"])["to"] for request in gateway.requests] == [NUMBER, "+4930123457"]


def test_twilio_gets_what_its_own_library_sends(sites, gateway):
    gateway.answers = [(201, '{"sid": "SM1", "status": "queued"}')]
    transport = {"accountSid": "AC1", "secret": {"env": "GATEWAY"}, "from": "+15005550006", "endpoint": gateway.url}
    site = sites({"twilio": transport}, {"GATEWAY": SECRET})
    send(site)
    ours = the_request(gateway)

    class Redirected(twilio.http.http_client.TwilioHttpClient):
        def request(self, method, url, *arguments, **more):
            return super().request(method, url.replace("https://api.twilio.com", gateway.url), *arguments, **more)

    client = twilio.rest.Client("AC1", SECRET, http_client=Redirected())
    fields = form(ours)
    code_in(fields["Body"])
    client.messages.create(
        to=NUMBER, from_="+15005550006", body=fields["Body"], validity_period=int(fields["ValidityPeriod"]), risk_check="enable"
    )
    theirs = the_request(gateway, 2)
    assert ours["path"] == theirs["path"] and fields == form(theirs)
    assert ours["headers"]["authorization"] == theirs["headers"]["authorization"]
    assert ours["headers"]["content-type"] == theirs["headers"]["content-type"]


def test_vonage_gets_what_its_own_library_sends(sites, gateway):
    gateway.answers = [(200, '{"message-count": "1", "messages": [{"to": "4930123456", "message-id": "1", "status": "0"}]}')]
    site = sites({"vonage": {"apiKey": "k1", "secret": {"env": "GATEWAY"}, "from": "Acme", "endpoint": gateway.url}}, {"GATEWAY": SECRET})
    send(site)
    ours = the_request(gateway)
    fields = form(ours)
    code_in(fields["text"])
    assert int(fields.pop("ttl")) <= 300_000
    assert ours["path"] == "/sms/json" and fields["to"] == NUMBER[1:] and fields["from"] == "Acme"
    client = vonage.Vonage(vonage.Auth(api_key="k1", api_secret=SECRET))
    session = client.http_client._session
    original = session.request
    session.request = lambda method, url, **more: original(method, url.replace("https://rest.nexmo.com", gateway.url), **more)
    client.sms.send({"to": NUMBER[1:], "from_": "Acme", "text": fields["text"]})
    theirs = the_request(gateway, 2)
    assert ours["path"] == theirs["path"] and ours["headers"]["authorization"] == theirs["headers"]["authorization"]
    assert {name: form(theirs)[name] for name in fields} == fields


def test_amazon_gets_what_its_own_library_sends(sites, gateway):
    answer = "<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>"
    gateway.answers = [(200, answer)]
    key = "AKIDEXAMPLE"
    transport = {
        "region": "eu-central-1",
        "accessKeyId": key,
        "secretAccessKey": {"env": "GATEWAY"},
        "senderId": "Acme",
        "endpoint": gateway.url,
    }
    site = sites({"sns": transport}, {"GATEWAY": SECRET})
    send(site)
    ours = the_request(gateway)
    fields = form(ours)
    code_in(fields["Message"])
    client = boto3.client("sns", region_name="eu-central-1", aws_access_key_id=key, aws_secret_access_key=SECRET, endpoint_url=gateway.url)
    text = {"DataType": "String"}
    client.publish(
        PhoneNumber=NUMBER,
        Message=fields["Message"],
        MessageAttributes={
            "AWS.SNS.SMS.SMSType": {**text, "StringValue": "Transactional"},
            "AWS.SNS.SMS.SenderID": {**text, "StringValue": "Acme"},
        },
    )
    theirs = the_request(gateway, 2)
    assert fields == form(theirs) and ours["path"] == theirs["path"]
    # The same request at the same time, signed by botocore.
    stamp = ours["headers"]["x-amz-date"]
    again = AWSRequest("POST", gateway.url + "/", data=ours["body"], headers={"content-type": ours["headers"]["content-type"]})
    again.context["timestamp"] = stamp

    class AtThatTime(SigV4Auth):
        def add_auth(self, request):
            self._modify_request_before_signing(request)
            canonical = self.canonical_request(request)
            self._inject_signature_to_request(request, self.signature(self.string_to_sign(request, canonical), request))

    AtThatTime(Credentials(key, SECRET), "sns", "eu-central-1").add_auth(again)
    assert ours["headers"]["authorization"] == again.headers["Authorization"]


def test_SEC_30_a_gateway_at_a_private_address_is_not_called(sites, gateway, signing_secret):
    hook = {"hook": {"url": f"{gateway.url}/sms", "secrets": [{"env": "HOOK"}]}}
    site = sites(hook, {"HOOK": signing_secret}, settings={"outbound": {"allow": []}})
    send(site)
    wait_until(lambda: 'gatehouse_sms_total{transport="hook",result="failed"} 1' in metrics(site))
    assert not gateway.requests


def test_SEC_30_no_log_line_has_a_number_a_text_or_a_code(sites, gateway, signing_secret):
    gateway.answers = [(400, "")]
    site = sites({"hook": {"url": f"{gateway.url}/sms", "secrets": [{"env": "HOOK"}]}}, {"HOOK": signing_secret})
    send(site)
    code = code_in(json.loads(the_request(gateway)["body"])["text"])
    wait_until(lambda: "text message given up" in site.servers[0].log())
    for secret in (NUMBER[1:], code, "is your code"):
        assert not re.search(rf"(?<!\d){secret}(?!\d)", site.servers[0].log())
