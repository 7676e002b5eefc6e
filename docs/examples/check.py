# Checks a site and lists its HTML issues. Needs only Python 3.
#   API=http://127.0.0.1:3000 TOKEN=sw_… python3 check.py https://example.com/
import json
import os
import sys
import time
import urllib.error
import urllib.request

API = os.environ.get("API", "http://127.0.0.1:3000") + "/api/v1"


def ask(url, attributes=None):
    """GETs a URL, or POSTs attributes to it, and returns the document."""
    body = None if attributes is None else json.dumps({"data": {"attributes": attributes}}).encode()
    request = urllib.request.Request(url, data=body)
    request.add_header("Authorization", "Bearer " + os.environ["TOKEN"])
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(" ".join(item["detail"] for item in json.load(error)["errors"]))


report = ask(API + "/reports", {"starting_url": sys.argv[1], "max_pages": 20})["data"]
while report["attributes"]["status"] not in ("finished", "failed"):
    time.sleep(1)
    report = ask(report["links"]["self"])["data"]

counts = report["attributes"]
print(f"{counts['status']}: {counts['num_pages']} pages, {counts['checks']['html']['issues']['errors']} errors")

# Lists are paged: links.next is the next page, and absent on the last one.
page = report["relationships"]["common_html_issues"]["links"]["related"] + "?page%5Bsize%5D=100"
while page:
    answer = ask(page)
    for issue in answer["data"]:
        print(f"{issue['attributes']['how_many']} × {issue['attributes']['message']}")
    page = answer["links"].get("next")
