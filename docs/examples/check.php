<?php
// Checks a site and lists its HTML issues. Needs only PHP 8.
//   API=http://127.0.0.1:3000 TOKEN=sw_… php check.php https://example.com/
$api = (getenv('API') ?: 'http://127.0.0.1:3000') . '/api/v1';

/** GETs a URL, or POSTs attributes to it, and returns the document. */
function ask(string $url, ?array $attributes = null): array
{
    $headers = ['Authorization: Bearer ' . getenv('TOKEN'), 'Content-Type: application/json'];
    $context = stream_context_create(['http' => [
        'method' => $attributes === null ? 'GET' : 'POST',
        'header' => $headers,
        'content' => $attributes === null ? '' : json_encode(['data' => ['attributes' => $attributes]]),
        'ignore_errors' => true,
    ]]);
    $document = json_decode(file_get_contents($url, false, $context), true);
    if (isset($document['errors'])) {
        fwrite(STDERR, implode(' ', array_column($document['errors'], 'detail')) . "\n");
        exit(1);
    }
    return $document;
}

$report = ask("$api/reports", ['starting_url' => $argv[1], 'max_pages' => 20])['data'];
while (!in_array($report['attributes']['status'], ['finished', 'failed'])) {
    sleep(1);
    $report = ask($report['links']['self'])['data'];
}

$counts = $report['attributes'];
echo "{$counts['status']}: {$counts['num_pages']} pages, {$counts['checks']['html']['issues']['errors']} errors\n";

// Lists are paged: links.next is the next page, and absent on the last one.
$page = $report['relationships']['common_html_issues']['links']['related'] . '?page%5Bsize%5D=100';
while ($page !== null) {
    $answer = ask($page);
    foreach ($answer['data'] as $issue) {
        echo "{$issue['attributes']['how_many']} × {$issue['attributes']['message']}\n";
    }
    $page = $answer['links']['next'] ?? null;
}
