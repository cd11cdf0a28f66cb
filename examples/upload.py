"""Uploads a file with requests and reads it back.

    CAIRN_KEY=<API_KEY> CAIRN_SECRET=<API_KEY_SECRET> python3 examples/upload.py [file]
"""
import os
import sys

import requests

api = os.environ.get("CAIRN_URL", "http://127.0.0.1:8545") + "/api/v0/"
auth = (os.environ["CAIRN_KEY"], os.environ["CAIRN_SECRET"])


def post(command, **rest):
    reply = requests.post(api + command, auth=auth, timeout=60, **rest)
    if not reply.ok:
        sys.exit(f"{command}: {reply.status_code} {reply.text}")
    return reply


path = sys.argv[1] if len(sys.argv) > 1 else __file__
with open(path, "rb") as file:
    added = post("add", files={"file": file}).json()
print(f"added {added['Hash']}")

content = post("cat", params={"arg": added["Hash"]}).content
with open(path, "rb") as file:
    print("read back the same" if content == file.read() else "read back something else")
