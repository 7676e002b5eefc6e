#!/usr/bin/env bash
# Checks a site and lists its HTML issues. Needs curl and jq.
#   API=http://127.0.0.1:3000 TOKEN=sw_… bash check.sh https://example.com/
set -euo pipefail

# GETs a URL, or POSTs attributes to it. Prints the document; or, if the service refuses, what is wrong.
ask() {
  local answer
  if answer=$(curl -sS --fail-with-body "$1" -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' ${2:+-d "{\"data\": {\"attributes\": $2}}"}); then
    printf '%s' "$answer"
  else
    printf '%s' "$answer" | jq -r '.errors[].detail' >&2
    return 1
  fi
}

attributes=$(jq -n --arg url "$1" '{starting_url: $url, max_pages: 20}')
id=$(ask "$API/api/v1/reports" "$attributes" | jq -r .data.id)
status=pending
until [[ $status == finished || $status == failed ]]; do
  sleep 1
  status=$(ask "$API/api/v1/reports/$id" | jq -r .data.attributes.status)
done
ask "$API/api/v1/reports/$id" |
  jq -r '.data.attributes | "\(.status): \(.num_pages) pages, \(.checks.html.issues.errors) errors"'

# Lists are paged: links.next is the next page, and absent on the last one.
page="$API/api/v1/reports/$id/common_html_issues?page%5Bsize%5D=100"
while [[ -n $page ]]; do
  answer=$(ask "$page")
  jq -r '.data[].attributes | "\(.how_many) × \(.message)"' <<< "$answer"
  page=$(jq -r '.links.next // ""' <<< "$answer")
done
