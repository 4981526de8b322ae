"""Borrows and returns equipment (docs/tutorial.md). Python 3.9 or newer, standard library only.

    DOCKET_URL=http://127.0.0.1:8080 DOCKET_TOKEN=… python3 borrow.py list
    … python3 borrow.py take "Camera 1" 2026-12-24
    … python3 borrow.py return "Camera 1"
"""

import json
import os
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL = os.environ.get("DOCKET_URL", "http://127.0.0.1:8080")
TOKEN = os.environ.get("DOCKET_TOKEN", "")
ATTEMPTS = 5
TIMEOUT_SECONDS = 60


class DocketError(Exception):
    """What the server says is wrong: `code` is for programs, the message for people (docs/errors.md)."""

    def __init__(self, status, error):
        super().__init__(error["message"])
        self.status = status
        self.code = error["code"]
        self.reason = error.get("reason")


def send(method, path, parameters=None, body=None, etag=None):
    """Sends a request. Waits and repeats it when the server is busy (429) or cannot reach its database (503)."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if etag is not None:
        headers["If-Match"] = etag
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"{URL}{path}?{urlencode(parameters or {})}", data=data, headers=headers, method=method)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                return json.load(response)["data"], response.headers.get("ETag")
        except HTTPError as failure:
            error = DocketError(failure.code, json.load(failure)["errors"][0])
            # A write may have happened before a 503, so only reads are repeated then.
            may_repeat = error.status == 429 or (error.status == 503 and method == "GET")
            if not may_repeat or attempt == ATTEMPTS:
                raise error from None
            time.sleep(int(failure.headers.get("Retry-After", "1")))


def quoted(value):
    """A value of a condition as data: `^` separates conditions, and `^'` keeps the server from computing `javascript:…`."""
    return "^'" + value.replace("^", "^^")


def list_free():
    parameters = {"sysparm_query": "holderISEMPTY^ORDERBYname", "sysparm_fields": "name,kind", "sysparm_limit": "100"}
    items, _ = send("GET", "/rest/v1/table/equipment", parameters)
    return items


def find(name):
    """The path of the record, the record, and its version."""
    parameters = {"sysparm_query": f"name={quoted(name)}", "sysparm_fields": "sys_id", "sysparm_limit": "1"}
    found, _ = send("GET", "/rest/v1/table/equipment", parameters)
    if not found:
        raise LookupError(f"There is no {name}.")
    path = f"/rest/v1/table/equipment/{found[0]['sys_id']}"
    records, etag = send("GET", path, {"sysparm_display_value": "all"})
    return path, records[0], etag


def change(name, check, values):
    """Changes the record as it was read. If somebody changed it in between, reads it again."""
    for attempt in range(1, ATTEMPTS + 1):
        path, record, etag = find(name)
        check(record)
        try:
            records, _ = send("PATCH", path, {"sysparm_fields": "name,due_on"}, values, etag)
            return records[0]
        except DocketError as error:
            if error.reason != "stale" or attempt == ATTEMPTS:
                raise


def take(name, due_on):
    session, _ = send("GET", "/v1/auth/session")

    def is_free(record):
        if record["holder"]["value"] is not None:
            raise LookupError(f"{name} is with {record['holder']['display_value']}.")

    return change(name, is_free, {"holder": session["user"]["sys_id"], "due_on": due_on})


def give_back(name):
    return change(name, lambda record: None, {"holder": None, "due_on": None})


def main(arguments):
    if arguments == ["list"]:
        for item in list_free():
            print(f"{item['name']} ({item['kind']})")
    elif len(arguments) == 3 and arguments[0] == "take":
        print(f"You have {arguments[1]} until {take(arguments[1], arguments[2])['due_on']}.")
    elif len(arguments) == 2 and arguments[0] == "return":
        print(f"{give_back(arguments[1])['name']} is free.")
    else:
        raise LookupError("Say list, take NAME DATE or return NAME.")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (DocketError, LookupError) as error:
        sys.exit(str(error))
