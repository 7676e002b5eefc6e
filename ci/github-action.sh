#!/usr/bin/env bash
# Checks a site in a step of action.yml, whose inputs are in INPUT_…. This step always succeeds: the last step of the action fails with the
# exit status, after the files have been uploaded.
set -euo pipefail

# A separate folder, because a job can have several of these steps.
output=$(mktemp -d "$RUNNER_TEMP/sitewarden-XXXXXX")
export SITEWARDEN_DATA_DIR=${SITEWARDEN_DATA_DIR:-$RUNNER_TEMP/sitewarden-data}

arguments=(check --format "$INPUT_FORMATS" --output "$output" --github-annotations "$output/annotations.txt")
# Without a URL, the sites and settings come from sitewarden.yaml.
if [ -n "$INPUT_URL" ]; then
  arguments+=("$INPUT_URL")
  [ -z "$INPUT_MAX_PAGES" ] || arguments+=(--max-pages "$INPUT_MAX_PAGES")
  [ -z "$INPUT_RATE_LIMIT" ] || arguments+=(--rate-limit "$INPUT_RATE_LIMIT")
  [ "$INPUT_HTML" = true ] || arguments+=(--no-html)
  [ "$INPUT_A11Y" = true ] || arguments+=(--no-a11y)
  [ "$INPUT_LINKS" != true ] || arguments+=(--links)
fi
[ -z "$INPUT_BASELINE" ] || arguments+=(--baseline "$INPUT_BASELINE")
[ -z "$INPUT_FAIL_ON" ] || arguments+=(--fail-on "$INPUT_FAIL_ON")
while IFS= read -r argument; do
  [ -z "$argument" ] || arguments+=("$argument")
done <<< "$INPUT_ARGUMENTS"

# Checked pages influence the output, so the runner must not interpret any of it as workflow commands.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
status=0
echo '::group::sitewarden'
echo "::stop-commands::$token"
node "$GITHUB_ACTION_PATH/scripts/run.mjs" "${arguments[@]}" || status=$?
echo "::$token::"
echo '::endgroup::'

case $status in
  0) result=passed ;;
  1) result=failed ;;
  2) result=invalid ;;
  70) result=error ;;
  *) result=unchecked ;;
esac
if [ -s "$output/annotations.txt" ]; then
  cat "$output/annotations.txt"
else
  echo '::error title=sitewarden::There is no result. The log of this step says why.'
fi
# With several sites, each has its own folder.
find "$output" -name report.md -print0 | sort -z | xargs -0 -r cat >> "$GITHUB_STEP_SUMMARY"
{
  echo "result=$result"
  echo "status=$status"
  echo "directory=$output"
} >> "$GITHUB_OUTPUT"
