import { sql } from '../../../src/kernel/sql.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const listed = (...columns: readonly string[]) =>
  sql`insert into docket.sys_property (name, value)
    select 'wysiwyg.columns.rest_api_json_mode', string_agg(c.sys_id::text, ', ')
    from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
    where t.name = 'probe' and c.column_name in (${sql.join(columns)})
    on conflict (docket_system.fold(name)) do update set value = excluded.value`

const text = (content: string, ...marks: readonly string[]) => ({
  type: 'text',
  text: content,
  ...(marks.length === 0 ? {} : { marks: marks.map((type) => ({ type })) }),
})
const paragraph = (...content: readonly unknown[]) => ({ type: 'paragraph', content })
const document = (...content: readonly unknown[]) => ({ type: 'doc', content })

const write = (name: string, method: string, body: unknown, response: unknown): Scenario => ({
  name,
  as: 'worker',
  send: `${method} /rest/v1/table/probe${method === 'POST' ? '' : '/2002'}?sysparm_fields=c_wysiwyg,c_text`,
  body,
  status: 200,
  response,
  writes: true,
})
/** The display value is the stored text. */
const stored = (c_wysiwyg: string, c_text: string): Scenario => ({
  ...get('the stored text', '2002', '1', ok({ c_wysiwyg, c_text })),
})
const get = (name: string, id: string, display: string, response: unknown): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/table/probe/${id}?sysparm_fields=c_wysiwyg,c_text&sysparm_display_value=${display}`,
  status: 200,
  response,
})

describeScenarios('a WYSIWYG column (docs/spec/records.md, section 4)', [
  write(
    'takes a text on create',
    'POST',
    { c_wysiwyg: 'plain & simple' },
    ok({ c_wysiwyg: 'plain & simple', c_text: null }),
  ),
  write('takes a text on PUT', 'PUT', { c_wysiwyg: '<p>One</p>' }, ok({ c_wysiwyg: '<p>One</p>', c_text: 'printer' })),
  write(
    'takes a text on PATCH',
    'PATCH',
    { c_wysiwyg: '<p>Two</p>' },
    ok({ c_wysiwyg: '<p>Two</p>', c_text: 'printer' }),
  ),
  write(
    'is sanitised on the way in',
    'PUT',
    { c_wysiwyg: '<p onclick="x">Three</p><script>alert(1)</script>' },
    ok({ c_wysiwyg: '<p>Three</p>', c_text: 'printer' }),
  ),
  get('is read as text', '2001', '0', ok({ c_wysiwyg: '<p>Hi</p>', c_text: 'Ёлка и принтер' })),
])

describeScenarios(
  'a column that the property wysiwyg.columns.rest_api_json_mode lists by its sys_id',
  [
    get(
      'is read as the editor’s document; a text without markup as its paragraphs',
      '2001',
      '0',
      ok({ c_wysiwyg: document(paragraph(text('Hi'))), c_text: document(paragraph(text('Ёлка и принтер'))) }),
    ),
    get('its display value is the text', '2001', '1', ok({ c_wysiwyg: '<p>Hi</p>', c_text: 'Ёлка и принтер' })),
    get(
      'with both: the document and the text',
      '2001',
      'all',
      ok({
        c_wysiwyg: { value: document(paragraph(text('Hi'))), display_value: '<p>Hi</p>' },
        c_text: { value: document(paragraph(text('Ёлка и принтер'))), display_value: 'Ёлка и принтер' },
      }),
    ),
    get(
      'empty it is null, and an empty text an empty document',
      '2003',
      '0',
      ok({ c_wysiwyg: null, c_text: { type: 'doc', content: [{ type: 'paragraph' }] } }),
    ),
    write(
      'is written as text all the same',
      'PUT',
      { c_wysiwyg: '<p>One <strong>two</strong></p>', c_text: 'a\nb' },
      ok({
        c_wysiwyg: document(paragraph(text('One '), text('two', 'bold'))),
        c_text: document(paragraph(text('a')), paragraph(text('b'))),
      }),
    ),
    {
      name: 'in a list too, and other fields stay as they are',
      as: 'worker',
      send: 'GET /rest/v1/table/probe?sysparm_query=sys_id=2001&sysparm_fields=c_biginteger,c_decimal,c_json,c_wysiwyg',
      status: 200,
      response: ok({
        c_biginteger: '9007199254740993',
        c_decimal: '1234.50',
        c_json: { a: [1, null] },
        c_wysiwyg: document(paragraph(text('Hi'))),
      }),
    },
  ],
  [listed('c_wysiwyg', 'c_text')],
)

const code = 'if a < b && c > d: 5 & 6\nList<String> from <anna@example.com>'
const codeDocument = document(
  paragraph(text('if a < b && c > d: 5 & 6')),
  paragraph(text('List<String> from <anna@example.com>')),
)
const worker = (name: string, send: string, body: unknown, response: unknown, writes = true): Scenario => ({
  name,
  as: 'worker',
  send,
  ...(body === undefined ? {} : { body }),
  status: 200,
  response,
  writes,
})
const path = '/rest/v1/table/probe/2002?sysparm_fields=c_text'
const admin = (send: string, body: unknown, response: unknown): Scenario => ({
  ...worker('an administrator converts the column', send, body, response, false),
  as: 'admin',
})

describeScenarios(
  'a column of type Text that was converted to WYSIWYG (issue 8, B4)',
  [
    admin(
      'PATCH /rest/v1/table/sys_db_column/778?sysparm_fields=column_type_id.name',
      { column_type_id: { find: { name: 'wysiwyg' } } },
      ok({ 'column_type_id.name': 'wysiwyg' }),
    ),
    worker('is read as text', `GET ${path}`, undefined, ok({ c_text: code }), false),
    worker(
      'is found by its text',
      'GET /rest/v1/table/probe?sysparm_query=c_textLIKEa%20<%20b%20%26%26%20c&sysparm_fields=c_text',
      undefined,
      ok({ c_text: code }),
      false,
    ),
    worker('takes text', `PUT ${path}`, { c_text: 'x < y & z' }, ok({ c_text: 'x < y & z' })),
    worker('appends text to text', `PATCH ${path}`, { c_text: { append: ' > 1' } }, ok({ c_text: 'x < y & z > 1' })),
    worker(
      'appends HTML to text, which becomes HTML',
      `PATCH ${path}`,
      { c_text: { append: '<p>T&amp;C</p>' } },
      ok({ c_text: 'x &lt; y &amp; z &gt; 1<p>T&amp;C</p>' }),
    ),
    worker(
      'appends text to HTML',
      `PATCH ${path}`,
      { c_text: { append: ' & <y>' } },
      ok({ c_text: 'x &lt; y &amp; z &gt; 1<p>T&amp;C</p> &amp; &lt;y&gt;' }),
    ),
    worker(
      'sanitises HTML',
      `PUT ${path}`,
      { c_text: '<p style="x">a</p><img src=x onerror=alert(1)>' },
      ok({ c_text: '<p>a</p><img src="x" />' }),
    ),
  ],
  [
    sql`update docket.probe set c_text = ${code} where sys_id = 2002`,
    sql`update docket.sys_db_column set sys_id = 778, full_text_search = false, is_system = false where column_name = 'c_text'
      and table_id = (select sys_id from docket.sys_db_table where name = 'probe')`,
  ],
)

describeScenarios(
  'the same in JSON mode (issue 8, B4)',
  [
    worker('is read as lines', `GET ${path}`, undefined, ok({ c_text: codeDocument }), false),
    worker(
      'is taken back as it was read',
      `PUT ${path}`,
      { c_text: codeDocument },
      ok({ c_text: codeDocument }),
      false,
    ),
    worker(
      'takes other lines',
      `PUT ${path}`,
      { c_text: document(paragraph(text('1 < 2')), paragraph()) },
      ok({ c_text: document(paragraph(text('1 < 2')), { type: 'paragraph' }) }),
    ),
  ],
  [listed('c_text'), sql`update docket.probe set c_text = ${code} where sys_id = 2002`],
)

describeScenarios(
  'a column that is read as the editor’s document is written as one, too (issue 8, B5)',
  [
    {
      ...write(
        'what was read changes nothing, not even what a document does not hold',
        'PATCH',
        { c_wysiwyg: document(paragraph(text('Hi'))) },
        ok({ c_wysiwyg: document(paragraph(text('Hi'))), c_text: document(paragraph(text('printer'))) }),
      ),
      writes: false,
    },
    stored('<p><kbd>Hi</kbd></p>', 'printer'),
    write(
      'another document becomes HTML',
      'PUT',
      {
        c_wysiwyg: document(paragraph(text('a < b & c '), text('bold', 'bold'), { type: 'hardBreak' }), {
          type: 'heading',
          attrs: { level: 2 },
          content: [text('Title')],
        }),
      },
      ok({
        c_wysiwyg: document(paragraph(text('a < b & c '), text('bold', 'bold'), { type: 'hardBreak' }), {
          type: 'heading',
          attrs: { level: 2 },
          content: [text('Title')],
        }),
        c_text: document(paragraph(text('printer'))),
      }),
    ),
    stored('<p>a &lt; b &amp; c <strong>bold</strong><br /></p><h2>Title</h2>', 'printer'),
    write(
      'a link that a browser would run is left out',
      'PATCH',
      {
        c_wysiwyg: {
          value: document(
            paragraph({ type: 'text', text: 'x', marks: [{ type: 'link', attrs: { href: 'javascript:alert(1)' } }] }),
          ),
        },
      },
      ok({
        c_wysiwyg: document(paragraph({ type: 'text', text: 'x', marks: [{ type: 'link', attrs: { href: '' } }] })),
        c_text: document(paragraph(text('printer'))),
      }),
    ),
    {
      name: 'a node that is none is rejected',
      as: 'worker',
      send: 'PATCH /rest/v1/table/probe/2002',
      body: { c_wysiwyg: document({ content: [] }) },
      status: 422,
      response: errorBody(
        'INVALID_VALUE',
        'The value of c_wysiwyg is rejected: a node of an editor document has a type, and maybe attrs, content, text and marks.',
        { field: 'c_wysiwyg' },
      ),
    },
  ],
  [listed('c_wysiwyg', 'c_text'), sql`update docket.probe set c_wysiwyg = '<p><kbd>Hi</kbd></p>' where sys_id = 2002`],
)

const marked = (content: string, type: string, attrs: object) => ({
  type: 'text',
  text: content,
  marks: [{ type, attrs }],
})
const attributed = document(
  {
    type: 'paragraph',
    attrs: { class: 'note', dir: 'rtl', lang: 'ar' },
    content: [
      marked('Hi', 'bold', { class: 'key' }),
      marked('there', 'link', {
        href: 'https://example.com/',
        title: 'x',
        target: '_blank',
        rel: 'noopener',
        lang: 'en',
      }),
      marked('here', 'link', { href: '', name: 'place' }),
      { type: 'image', attrs: { src: 'https://example.com/a.png', alt: '', title: '', class: 'wide' } },
    ],
  },
  { type: 'horizontalRule', attrs: { class: 'thin' } },
  { type: 'heading', attrs: { level: 2, lang: 'en' }, content: [text('Title')] },
)

describeScenarios(
  'an editor’s document has the class, direction and language of its blocks, marks and pictures (issue 13)',
  [
    write(
      'they are stored and read back',
      'PUT',
      { c_wysiwyg: attributed },
      ok({ c_wysiwyg: attributed, c_text: document(paragraph(text('printer'))) }),
    ),
    stored(
      [
        '<p class="note" dir="rtl" lang="ar"><strong class="key">Hi</strong>',
        '<a href="https://example.com/" title="x" target="_blank" rel="noopener" lang="en">there</a>',
        '<a name="place">here</a><img src="https://example.com/a.png" class="wide" /></p>',
        '<hr class="thin" /><h2 lang="en">Title</h2>',
      ].join(''),
      'printer',
    ),
  ],
  [listed('c_wysiwyg', 'c_text')],
)

const kept = [
  'Press <kbd>Ctrl</kbd><kbd class="x">C</kbd>, <span class="hint">or <b>ask</b></span>',
  '<dl><dt>One</dt><dd>Two</dd></dl><div>Three</div><figure><img src="https://example.com/a.png" /><figcaption>Plan</figcaption></figure>',
  '<ul><li><input type="checkbox" checked />Done</li><li></li></ul>',
  '<table><caption>Four</caption><thead><tr><th>Five</th></tr></thead></table>',
].join('')
const tagged = (tag: string, ...content: readonly unknown[]) => ({ type: 'paragraph', attrs: { tag }, content })
const inElement = (content: string, ...attrs: readonly object[]) => ({
  type: 'text',
  text: content,
  marks: attrs.map((each) =>
    'tag' in each && each.tag === 'b' ? { type: 'bold', attrs: each } : { type: 'element', attrs: each },
  ),
})
const hint = { tag: 'span', class: 'hint' }
const allElements = document(
  tagged(
    '',
    text('Press '),
    inElement('Ctrl', { tag: 'kbd' }),
    inElement('C', { tag: 'kbd', class: 'x' }),
    text(', '),
    inElement('or ', hint),
    inElement('ask', hint, { tag: 'b' }),
  ),
  { type: 'container', attrs: { tag: 'dl' }, content: [tagged('dt', text('One')), tagged('dd', text('Two'))] },
  tagged('div', text('Three')),
  {
    type: 'container',
    attrs: { tag: 'figure' },
    content: [
      tagged('', { type: 'image', attrs: { src: 'https://example.com/a.png', alt: '', title: '' } }),
      tagged('figcaption', text('Plan')),
    ],
  },
  {
    type: 'bulletList',
    content: [
      {
        type: 'listItem',
        content: [tagged('', { type: 'leaf', attrs: { tag: 'input', checked: true, type: 'checkbox' } }, text('Done'))],
      },
      { type: 'listItem' },
    ],
  },
  {
    type: 'table',
    content: [
      { type: 'tableCaption', content: [text('Four')] },
      {
        type: 'tableSection',
        attrs: { tag: 'thead' },
        content: [{ type: 'tableRow', content: [{ type: 'tableHeader', content: [tagged('', text('Five'))] }] }],
      },
    ],
  },
)
const withElements = (name: string, method: string, body: unknown, response: unknown, writes = true): Scenario => ({
  ...worker(
    name,
    `${method} /rest/v1/table/probe/2002?sysparm_fields=c_wysiwyg&sysparm_wysiwyg=elements`,
    body,
    response,
  ),
  writes,
})
const hostile = document(
  ...['script', 'p onclick="x"', '__proto__', 'constructor'].flatMap((tag) => [
    { type: 'container', attrs: { tag }, content: [tagged(tag, inElement('x', { tag }))] },
    paragraph({ type: 'leaf', attrs: { tag, onclick: 'x' } }),
  ]),
)

describeScenarios(
  'a document with all elements, as a request may say (issue 13)',
  [
    withElements('has each element that is stored', 'GET', undefined, ok({ c_wysiwyg: allElements }), false),
    worker(
      'with json it has those that editors know',
      'GET /rest/v1/table/probe/2002?sysparm_fields=c_wysiwyg&sysparm_wysiwyg=json',
      undefined,
      ok({
        c_wysiwyg: document(
          paragraph(text('Press CtrlC, or '), text('ask', 'bold')),
          paragraph(text('One')),
          paragraph(text('Two')),
          paragraph(text('Three')),
          paragraph({ type: 'image', attrs: { src: 'https://example.com/a.png', alt: '', title: '' } }),
          paragraph(text('Plan')),
          {
            type: 'bulletList',
            content: [{ type: 'listItem', content: [paragraph(text('Done'))] }, { type: 'listItem' }],
          },
          {
            type: 'table',
            content: [
              paragraph(text('Four')),
              { type: 'tableRow', content: [{ type: 'tableHeader', content: [paragraph(text('Five'))] }] },
            ],
          },
        ),
      }),
      false,
    ),
    withElements(
      'sent back unchanged, it changes nothing',
      'PATCH',
      { c_wysiwyg: allElements },
      ok({ c_wysiwyg: allElements }),
      false,
    ),
    withElements(
      'keeps what is not edited',
      'PATCH',
      { c_wysiwyg: document(...allElements.content, tagged('p', text('New'))) },
      ok({ c_wysiwyg: document(...allElements.content, paragraph(text('New'))) }),
    ),
    worker(
      'which is stored as it was',
      'GET /rest/v1/table/probe/2002?sysparm_fields=c_wysiwyg',
      undefined,
      ok({ c_wysiwyg: `${kept}<p>New</p>` }),
      false,
    ),
    withElements(
      'names only elements that may be stored',
      'PATCH',
      { c_wysiwyg: hostile },
      ok({
        c_wysiwyg: document(...Array.from({ length: 4 }, () => [paragraph(text('x')), { type: 'paragraph' }]).flat()),
      }),
    ),
    {
      name: 'more marks than elements may be nested are rejected',
      as: 'worker',
      send: 'PATCH /rest/v1/table/probe/2002?sysparm_wysiwyg=elements',
      body: { c_wysiwyg: document(paragraph(inElement('x', ...Array.from({ length: 501 }, () => ({ tag: 'kbd' }))))) },
      status: 422,
      response: errorBody(
        'INVALID_VALUE',
        'The value of c_wysiwyg is rejected: a node of an editor document has at most 500 marks.',
        { field: 'c_wysiwyg' },
      ),
    },
  ],
  [sql`update docket.probe set c_wysiwyg = ${kept} where sys_id = 2002`],
)

describeScenarios(
  'a column that the property does not list',
  [
    get(
      'is read as text beside one that it does',
      '2001',
      '0',
      ok({ c_wysiwyg: '<p>Hi</p>', c_text: document(paragraph(text('Ёлка и принтер'))) }),
    ),
  ],
  [listed('c_text')],
)
