"""The process of a back end, which does what the tests ask of it over a socket.

    python -m support.admin_sdk.program DESCRIPTOR [PORT]

With a port, it listens there and hands the listener to the tests, which pass on what comes in: so a network of its own reaches a server
outside.
"""

import contextlib
import os
import socket
import subprocess
import sys
from multiprocessing import reduction
from multiprocessing.connection import Connection

import firebase_admin
from firebase_admin import auth, credentials, tenant_mgt

MODULES = {"auth": auth, "tenant_mgt": tenant_mgt}


def make_app(name, key_file, options):
    with contextlib.suppress(ValueError):
        firebase_admin.delete_app(firebase_admin.get_app(name))
    credential = credentials.Certificate(key_file) if key_file else None
    return firebase_admin.initialize_app(credential, options, name=name).name


def call(app, module, function, arguments, named):
    return getattr(MODULES[module], function)(*arguments, **named, app=firebase_admin.get_app(app))


def tenant_call(app, tenant, function, arguments, named):
    """A call about the people of a tenant."""
    return getattr(tenant_mgt.auth_for_tenant(tenant, app=firebase_admin.get_app(app)), function)(*arguments, **named)


def tenant_users(app, tenant):
    """All people of a tenant."""
    return list(tenant_mgt.auth_for_tenant(tenant, app=firebase_admin.get_app(app)).list_users().iterate_all())


def tenant_patch(app, tenant, body):
    """A change of a tenant that the SDK for Python has no argument for."""
    client = tenant_mgt._get_tenant_mgt_service(firebase_admin.get_app(app)).client
    return client.body("patch", f"/tenants/{tenant}", json=body, params="updateMask=" + ",".join(body))


def tenants(app, page_size):
    """All pages of the list of tenants: the ids of each."""
    page = tenant_mgt.list_tenants(max_results=page_size, app=firebase_admin.get_app(app))
    pages = []
    while page:
        pages.append([tenant.tenant_id for tenant in page.tenants])
        page = page.get_next_page()
    return pages


def users(app, page_size):
    """All pages of the list: the users of each."""
    page = auth.list_users(max_results=page_size, app=firebase_admin.get_app(app))
    pages = []
    while page:
        pages.append(page.users)
        page = page.get_next_page()
    return pages


def configs(app, kind, page_size):
    """The same for configurations of providers: `oidc` or `saml`."""
    page = getattr(auth, f"list_{kind}_provider_configs")(max_results=page_size, app=firebase_admin.get_app(app))
    pages = []
    while page:
        pages.append(page.provider_configs)
        page = page.get_next_page()
    return pages


def user_call(app, path, body):
    """A call about users that the SDK for Node has and that for Python lacks, by the client of the latter."""
    client = auth._get_client(firebase_admin.get_app(app))
    return client._user_manager._make_request("post", path, json=body)[0]


def execute(source, names):
    """Runs an example of the documentation; gives its texts."""
    names = dict(names)
    exec(source, names)
    return {name: value for name, value in names.items() if isinstance(value, (str, bytes, int, dict)) and name != "__builtins__"}


def shell(script, environment):
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


STEPS = {
    step.__name__: step
    for step in (make_app, call, tenant_call, tenant_patch, tenant_users, tenants, users, configs, user_call, execute, shell)
}


def answer(request):
    step, arguments = request
    try:
        return True, STEPS[step](*arguments)
    except Exception as error:
        return False, type(error).__name__, str(error)


def main(descriptor, port=None):
    connection = Connection(int(descriptor))
    if port:
        listener = socket.create_server(("127.0.0.1", int(port)))
        reduction.send_handle(connection, listener.fileno(), None)
        listener.close()
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        connection.send(answer(request))


if __name__ == "__main__":
    main(*sys.argv[1:])
