/** The rules of tags. docs/html-tags.md describes the tags, and a test compares the two. */

/** The elements for each tag: a message that names one of them gets the tag. */
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

/** The attributes for each tag: a message that names one of them gets the tag. */
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

/** Replacements of words by the words of the patterns below, so that reworded messages of newer validators get the same tags. */
export const SYNONYMS: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\b(is|are|was|do|does|did|must|can|should)n’t\b/gi, '$1 not'],
  [/\b(?:permitted|permissible)\b/gi, 'allowed'],
  [/\b(is|are) (?:disallowed|prohibited|forbidden)\b/gi, '$1 not allowed'],
  [/\bdeprecated\b/gi, 'obsolete'],
  [/\bduplicated\b/gi, 'duplicate'],
  [/\b(?:invalid|illegal|incorrect|wrong) value\b/gi, 'bad value'],
  [/\bmay not\b/gi, 'must not'],
  [/\blacks (?:a |the )?required\b/gi, 'is missing required'],
  [/\b(?:superfluous|needless)\b/gi, 'unnecessary'],
  [/\b(?:not|never) closed\b/gi, 'unclosed'],
  [/\bopening tag\b/gi, 'start tag'],
  [/\bclosing tag\b/gi, 'end tag'],
];

/** Patterns for each tag, matched without regard to case, after synonyms are replaced. */
export const MESSAGE_TAGS: readonly (readonly [tag: string, pattern: RegExp])[] = [
  // Kind of problem.
  ['duplicate attribute', /duplicate attribute|attribute “[^“”]{0,80}” is (?:a )?duplicate/i],
  ['duplicate id', /duplicate ID|first occurrence of (?:the )?ID /i],
  ['obsolete element', /^(?:the )?(?:“[^“”]{0,80}” element|element “[^“”]{0,80}”) is (?:now )?obsolete/i],
  [
    'obsolete attribute',
    /“[^“”]{0,80}” attribute (?:on .{0,200} )?is obsolete|attribute “[^“”]{0,80}”.{0,200} is (?:now )?obsolete/i,
  ],
  ['obsolete', /obsolete|grandfathered|backwards compatibility/i],
  ['bad value', /bad value|only allowed value|must have the value|must be (?:either|a number)/i],
  [
    'bad value',
    / value .{0,200}must (?:not )?(?:be|contain|have|refer)|must be (?:less|greater) than|must be the ID of/i,
  ],
  [
    'disallowed attribute',
    /attribute “[^“”]{0,80}” (?:from namespace .{0,200})?(?:is )?not allowed|must not (?:have|specify|be specified)|only allowed (?:if|when|on)/i,
  ],
  ['disallowed attribute', /attribute (?:must not|is (?:not|never) allowed|should not)|not serializable/i],
  [
    'missing attribute',
    /missing (?:(?:the |a |its )?required attribute|one or more of the following attributes)|must (?:also )?(?:have|specify) (?:attribute|[^.]{0,200} attribute)/i,
  ],
  ['missing attribute', /attribute must (?:also )?be (?:specified|present)|lacks “/i],
  [
    'missing element',
    /missing (?:a required|one or more of the following child)|must contain (?:an?|one)|Required (?:elements|children) missing/i,
  ],
  [
    'empty',
    /must not be (?:the )?empty|is empty|empty string|must be non-empty|must have non-empty|^empty|no cells beginning/i,
  ],
  [
    'redundant',
    /unnecessary|not needed|does not need|should be omitted|safely omit|has no effect|redundant|Trailing slash/i,
  ],
  ['recommendation', /consider |is sufficient|should (?:not )?(?:be|have|use)|avoid|not recommended/i],

  // Nesting and tags.
  [
    'nesting',
    / not allowed as (?:a )?child of |must not (?:appear as a descendant|contain an? |be a child)|must (?:be contained in|have an? .{0,200} ancestor)/i,
  ],
  [
    'nesting',
    /not allowed in|start tag in|same type was already open|open elements|Nested|another heading|already an active|cannot (?:nest|be nested|be a child)/i,
  ],
  [
    'nesting',
    /elements deep|no “[^“”]{0,80}” element in|in scope|element between|violates nesting rules|implied|previous “/i,
  ],
  ['text', /^text (?:is )?not allowed|non-space|text run|text content/i],
  [
    'stray tag',
    /stray (?:start|end) tag|tag “[^“”]{0,80}” is stray|seen after|saw an end tag after|” (?:start|end) tag seen/i,
  ],
  [
    'unclosed element',
    /unclosed|open elements|end tag .{0,200} implied|expecting text or an end tag|implicitly closed/i,
  ],
  ['end tag', /end tag/i],
  ['start tag', /start tag/i],
  ['unknown element', /unknown element/i],
  ['void element', /void element|self-closing|^end tag “br”/i],
  [
    'document structure',
    /doctype|^stray (?:start|end) tag “(?:html|head|body)”|End of file|after (?:“body”|body)|page trailer|frameset/i,
  ],
  ['doctype', /doctype|standards mode|quirks/i],

  // Subject.
  ['aria', /\baria-|“role[=”]|role=|\bARIA\b|\brole “|explicit role|roles?\b.{0,200}“|accessible name/i],
  ['css', /^CSS|CSS instead|^Inline style|stylesheet|“style-src”/i],
  ['heading', /heading|“h[1-6]”/i],
  [
    'table',
    /^table |inside a table|table (?:row|column|cell|structure)|\bcolumns?\b.{0,200}\brows?\b|row (?:span|number)|row group|cells? (?:beginning|overlap)|no cell|spans? past|“table”/i,
  ],
  ['image', /image|textual alternative|text alternatives|srcset|source size/i],
  ['label', /“label”|labelable|labell?ing/i],
  ['form', /form control|action for a form|autofill|nested forms|“form”/i],
  ['link', /“rel”|hyperlink|“link”|“a” element|link-type/i],
  [
    'url',
    /\bURLs?\b|\bIRI\b|path segment|in (?:query|fragment|host|scheme|authority|port)|Port number|hash-name|^Illegal character in/i,
  ],
  ['id', /\bIDs?\b|\bIDREFS?\b/i],
  ['language', /language|written in |“lang”|“xml:lang”|subtag|“dir|Content-Language/i],
  ['character encoding', /encoding|charset|byte sequence|byte-order|\bBOM\b|UTF-(?:8|16|32)|Windows-1252|ASCII/i],
  [
    'unicode',
    /Unicode|code point|surrogate|Normalization|composing character|Private Use|U\+[0-9A-F]|not mappable|forbidden/i,
  ],
  ['character reference', /character reference|“&”|&amp;|\bentity/i],
  ['comment', /comment|“-->”|“<!--”/i],
  ['script', /\bscripts?\b|JavaScript|document rule|_matches”|import ?map|speculation|JSON/i],
  ['meta', /“meta”|http-equiv|viewport/i],
  ['viewport', /viewport/i],
  ['embed', /“(?:iframe|object|embed|applet|frame)”|plugins|nested browsing context/i],
  ['media', /“(?:audio|video|track)”/i],
  ['svg', /\bSVG\b|for “a” command|Inkscape|path data/i],
  ['mathml', /MathML|OpenMath/i],
  ['microdata', /“item(?:prop|scope|type|id|ref)”|\bRDF/i],
  ['security', /Content Security Policy|“allow-|sandbox|untrusted|Cross-origin|integrity/i],
  ['custom element', /custom element/i],
  ['mime type', /MIME type|media type|unregistered type/i],
  ['media query', /media quer/i],
  ['date and time', /\b(?:date|datetime|Day|Month|Week|Hours?|Minutes?|Seconds?|Year)\b|time zone/i],
  ['number', /\b(?:integer|floating point|a digit|number)\b/i],
  ['sectioning', /^(?:Section|Article) lacks|visible (?:“main”|element with “role=main”)/i],
  ['list', /“(?:ul|ol|li|dl|dt|dd)”/i],
  ['focus', /“(?:tabindex|autofocus|accesskey)”|interactive|focusable/i],
  ['color', /colou?r/i],
  [
    'xml',
    /\bXML\b|xmlns|XHTML|xml-|namespace|processing instruction|required character|well-formed|^Not a name|\bDTD\b|markup declaration|prefix/i,
  ],
  [
    'xml',
    /CDATA|external (?:entity|subset)|internal subset|]]>|attribute values may not contain|literal|^(?:no more input|unexpected characters|premature end)/i,
  ],

  // Errors of the tokenizer, and fatal errors.
  [
    'syntax',
    /^(?:Saw|Bad character|Garbage|Attribute without|Missing space|No space|Quote|Unquoted|Stray “|“[<=>`&"]|Premature end|Bogus|Unmatched)/i,
  ],
  [
    'syntax',
    /^(?:End of file|Unexpected|(?:a )?slash|Self-closing|Malformed|expected|required character|illegal|unfinished|Named character)/i,
  ],
  [
    'syntax',
    /in an unquoted attribute value|in attribute name|attribute name|not terminated|missing (?:whitespace|immediately)|probable cause/i,
  ],
  ['parsing stopped', /^Cannot recover|non-streamable|Too many messages|exceeds limit/i],

  // Broad words.
  ['attribute', /attributes?\b/i],
  ['element', /elements?\b/i],
];
