# Checks a site and lists its HTML issues. Needs only Ruby.
#   API=http://127.0.0.1:3000 TOKEN=sw_… ruby check.rb https://example.com/
require 'json'
require 'net/http'

API = "#{ENV.fetch('API', 'http://127.0.0.1:3000')}/api/v1"

# GETs a URL, or POSTs attributes to it, and returns the document.
def ask(url, attributes = nil)
  uri = URI(url)
  request = attributes ? Net::HTTP::Post.new(uri) : Net::HTTP::Get.new(uri)
  request['Authorization'] = "Bearer #{ENV.fetch('TOKEN')}"
  request['Content-Type'] = 'application/json'
  request.body = JSON.generate(data: { attributes: attributes }) if attributes
  answer = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') { |http| http.request(request) }
  document = JSON.parse(answer.body.force_encoding('UTF-8'))
  abort document['errors'].map { |error| error['detail'] }.join(' ') unless answer.is_a?(Net::HTTPSuccess)
  document
end

report = ask("#{API}/reports", starting_url: ARGV[0], max_pages: 20)['data']
until %w[finished failed].include?(report['attributes']['status'])
  sleep 1
  report = ask(report['links']['self'])['data']
end

counts = report['attributes']
puts "#{counts['status']}: #{counts['num_pages']} pages, #{counts.dig('checks', 'html', 'issues', 'errors')} errors"

# Lists are paged: links.next is the next page, and absent on the last one.
page = "#{report.dig('relationships', 'common_html_issues', 'links', 'related')}?page%5Bsize%5D=100"
while page
  answer = ask(page)
  answer['data'].each { |issue| puts "#{issue['attributes']['how_many']} × #{issue['attributes']['message']}" }
  page = answer['links']['next']
end
