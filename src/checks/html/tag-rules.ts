/** The tables behind `tags.ts`. The vocabulary with its meanings is docs/html-tags.md; a test holds both together. */

/** Tags by the elements that a message names. */
export const ELEMENT_TAGS: Readonly<Record<string, readonly string[]>> = {
  heading: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hgroup'],
  table: ['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'],
  image: ['img', 'image', 'picture', 'map', 'area', 'figure', 'figcaption'],
  media: ['audio', 'video', 'source', 'track'],
  embed: ['iframe', 'object', 'embed', 'param', 'applet', 'frame', 'frameset', 'noframes'],
  label: ['label'],
  form: [
    'form',
    'input',
    'button',
    'select',
    'option',
    'optgroup',
    'textarea',
    'fieldset',
    'legend',
    'datalist',
  ].concat(['output', 'progress', 'meter', 'label']),
  link: ['a', 'link', 'base'],
  list: ['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'menu', 'dir'],
  script: ['script', 'noscript', 'template', 'slot'],
  css: ['style'],
  meta: ['meta'],
  'document structure': ['html', 'head', 'body', 'title', 'frameset', 'doctype'],
  sectioning: ['main', 'section', 'article', 'nav', 'aside', 'header', 'footer', 'address'],
  svg: ['svg', 'path', 'circle', 'rect', 'line', 'polyline', 'polygon', 'ellipse', 'g', 'use', 'symbol', 'defs'].concat(
    ['lineargradient', 'radialgradient', 'clippath', 'tspan', 'foreignobject'],
  ),
  mathml: ['math', 'mi', 'mn', 'mo', 'mrow', 'mfrac', 'msup', 'msub', 'semantics', 'annotation'],
};

/** Tags by the attributes that a message names. */
export const ATTRIBUTE_TAGS: Readonly<Record<string, readonly string[]>> = {
  aria: ['role'],
  css: ['style', 'media'],
  id: ['id', 'name', 'for', 'headers', 'commandfor', 'popovertarget', 'form', 'list'],
  image: ['alt', 'srcset', 'sizes', 'imagesrcset', 'imagesizes', 'usemap', 'ismap'],
  link: ['href', 'rel', 'hreflang', 'target', 'ping', 'download'],
  url: ['href', 'src', 'action', 'cite', 'formaction', 'poster', 'longdesc', 'background'],
  label: ['for'],
  form: [
    'placeholder',
    'autocomplete',
    'required',
    'pattern',
    'maxlength',
    'minlength',
    'min',
    'max',
    'step',
    'enctype',
  ],
  language: ['lang', 'xml:lang', 'hreflang', 'dir', 'srclang'],
  'character encoding': ['charset', 'accept-charset'],
  script: ['async', 'defer', 'nomodule', 'crossorigin', 'integrity', 'nonce'],
  'date and time': ['datetime'],
  security: ['sandbox', 'integrity', 'nonce', 'csp', 'allow'],
  microdata: ['itemprop', 'itemscope', 'itemtype', 'itemid', 'itemref'],
  dimension: ['width', 'height'],
  table: ['colspan', 'rowspan', 'scope', 'cellpadding', 'cellspacing'],
  viewport: ['viewport'],
  focus: ['tabindex', 'autofocus', 'accesskey'],
};

/** Tags by the wording. Quoted words are cut out of the patterns' way only where a pattern needs it. */
export const MESSAGE_TAGS: readonly (readonly [tag: string, pattern: RegExp])[] = [
  // What is wrong.
  ['duplicate attribute', /^Duplicate attribute /],
  ['duplicate id', /^Duplicate ID |first occurrence of ID /],
  ['obsolete element', /^The “[^”]*” element is obsolete/],
  ['obsolete attribute', /“[^”]*” attribute on the “[^”]*” element is obsolete|attribute “[^”]*”.* is obsolete/],
  ['obsolete', / is (?:an? )?(?:obsolete|deprecated)|[Oo]bsolete|grandfathered|backwards compatibility/],
  ['bad value', /^(?:Bad|Potentially bad) value |only allowed value|must have the value|must be (?:either|a number)/],
  ['bad value', / value .*must (?:not )?(?:be|contain|have|refer)|must be (?:less|greater) than|must be the ID of/],
  [
    'disallowed attribute',
    /^Attribute “[^”]*” (?:from namespace .*)?not allowed|must not (?:have|specify|be specified)|only allowed (?:if|when|on)/,
  ],
  ['disallowed attribute', /attribute (?:must not|is (?:not|never) allowed|should not)|not serializable/],
  [
    'missing attribute',
    /missing (?:required attribute|one or more of the following attributes)|must (?:also )?(?:have|specify) (?:attribute|[^.]* attribute)/,
  ],
  ['missing attribute', /attribute must (?:also )?be (?:specified|present)|lacks “/],
  [
    'missing element',
    /missing (?:a required|one or more of the following child)|must contain (?:an?|one)|Required (?:elements|children) missing/,
  ],
  [
    'empty',
    /must not be (?:the )?empty|is empty|empty string|must be non-empty|[Mm]ust have non-empty|no cells beginning/,
  ],
  [
    'redundant',
    /unnecessary|not needed|does not need|should be omitted|safely omit|has no effect|redundant|Trailing slash/,
  ],
  ['recommendation', /^Consider |Consider |is sufficient|should (?:not )?(?:be|have|use)|[Aa]void|not recommended/],

  // Nesting and tags.
  [
    'nesting',
    / not allowed as child of |must not (?:appear as a descendant|contain an? |be a child)|must (?:be contained in|have an? .* ancestor)/,
  ],
  [
    'nesting',
    /not allowed in|same type was already open|open elements|Nested|another heading|already an active|cannot (?:nest|be nested|be a child)/,
  ],
  ['nesting', /elements deep|no “[^”]*” element in|in scope|element between|violates nesting rules|implied|previous “/],
  ['text', /^Text not allowed|Non-space|Misplaced non-space|Text run|text content/],
  ['stray tag', /^Stray |seen after|Saw an end tag after|start tag seen|end tag seen/],
  [
    'unclosed element',
    /^Unclosed|unclosed elements|open elements|[Ee]nd tag .* implied|expecting text or an end tag|implicitly closed/,
  ],
  ['end tag', /[Ee]nd tag/],
  ['start tag', /[Ss]tart tag/],
  ['unknown element', /unknown element/],
  ['void element', /void element|self-closing|Self-closing|^End tag “br”/],
  [
    'document structure',
    /doctype|DOCTYPE|^Stray (?:start|end) tag “(?:html|head|body)”|End of file|after (?:“body”|body)|page trailer|frameset/,
  ],
  ['doctype', /doctype|DOCTYPE|standards mode|[Qq]uirks/],

  // What it is about.
  ['aria', /\baria-|“role[=”]|role=|ARIA|\brole “|explicit role|roles?\b.*“[^”]*”|accessible name/],
  ['css', /^CSS|CSS instead|^Inline style|stylesheet|“style-src”/],
  ['heading', /[Hh]eading|“h[1-6]”/],
  [
    'table',
    /^Table |[Tt]able (?:row|column|cell|structure)|\bcolumns?\b.*\brows?\b|row (?:span|number)|[Rr]ow group|cells? (?:beginning|overlap)|[Nn]o cell|spans? past|“table”/,
  ],
  ['image', /[Ii]mage|textual alternative|text alternatives|srcset|source size/],
  ['label', /“label”|labelable|labell?ing/],
  ['form', /form control|autofill|[Nn]ested forms|“form”/],
  ['link', /“rel”|hyperlink|“link”|“a” element|link-type/],
  [
    'url',
    /\bURLs?\b|\bIRI\b|path segment|in (?:query|fragment|host|scheme|authority|port)|Port number|hash-name|^Illegal character in/,
  ],
  ['id', /\bIDs?\b|\bIDREFS?\b/],
  ['language', /language|written in |“lang”|“xml:lang”|subtag|“dir|Content-Language/],
  ['character encoding', /encoding|charset|byte sequence|byte-order|BOM|UTF-(?:8|16|32)|Windows-1252|ASCII/],
  [
    'unicode',
    /Unicode|[Cc]ode point|surrogate|Normalization|composing character|Private Use|U\+|not mappable|forbidden|Forbidden/,
  ],
  ['character reference', /[Cc]haracter reference|“&”|&amp;|[Ee]ntity/],
  ['comment', /[Cc]omment|“-->”|“<!--”/],
  ['script', /\b[Ss]cripts?\b|JavaScript|document rule|_matches”|import ?map|speculation|JSON/],
  ['meta', /“meta”|http-equiv|viewport/],
  ['viewport', /viewport/],
  ['embed', /“(?:iframe|object|embed|applet|frame)”|plugins|nested browsing context/],
  ['media', /“(?:audio|video|track)”/],
  ['svg', /\bSVG\b|for “[Aa]” command|Inkscape|path data/],
  ['mathml', /MathML|OpenMath/],
  ['microdata', /“item(?:prop|scope|type|id|ref)”|RDF/],
  ['security', /Content Security Policy|“allow-|[Ss]andbox|untrusted|Cross-origin|integrity/],
  ['custom element', /[Cc]ustom element/],
  ['mime type', /MIME type|media type|unregistered type/],
  ['media query', /media quer/],
  ['date and time', /\b(?:date|datetime|Day|Month|Week|Hours?|Minutes?|Seconds?|Year)\b|time zone/],
  ['number', /\b(?:integer|floating point|a digit|number)\b/],
  ['sectioning', /^(?:Section|Article) lacks|visible (?:“main”|element with “role=main”)/],
  ['list', /“(?:ul|ol|li|dl|dt|dd)”/],
  ['focus', /“(?:tabindex|autofocus|accesskey)”|interactive|focusable/],
  ['color', /[Cc]olou?r/],
  [
    'xml',
    /\bXML\b|xmlns|XHTML|xml-|namespace|processing instruction|required character|well-formed|^Not a name|DTD|markup declaration|prefix/,
  ],
  [
    'xml',
    /CDATA|external (?:entity|subset)|internal subset|]]>|attribute values may not contain|literal|^(?:no more input|unexpected characters|premature end)/,
  ],

  // The lexer's errors, and the end of it.
  [
    'syntax',
    /^(?:Saw|Bad character|Garbage|Attribute without|Missing space|No space|Quote|Unquoted|Stray “|“[<=>`&"]|Premature end|Bogus|Unmatched)/,
  ],
  [
    'syntax',
    /^(?:End of file|Unexpected|A slash|Self-closing|Malformed|expected|required character|illegal|unfinished|Named character)/,
  ],
  [
    'syntax',
    /in an unquoted attribute value|in attribute name|attribute name|not terminated|missing (?:whitespace|immediately)|[Pp]robable cause/,
  ],
  ['parsing stopped', /^Cannot recover|non-streamable|Too many messages|exceeds limit/],

  // The broadest words.
  ['attribute', /[Aa]ttributes?\b/],
  ['element', /[Ee]lements?\b/],
];
