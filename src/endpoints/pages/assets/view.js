import { curlText, resolve, sampleBody, samplePath, typeText } from './describe.js'
import { byId, element } from './element.js'
import { tryRequest } from './try.js'

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Draws the whole document: what to find on the left, the parts on the right, each opened when it is wanted. */
export function drawApi(api) {
  const parts = api.tags.map((tag) => ({ ...tag, operations: operationsOf(api, tag.name) }))
  byId('parts').replaceChildren(...parts.map((part) => drawPart(api, part)))
  byId('index').replaceChildren(...parts.map(drawEntry))
  byId('count').textContent =
    `${parts.length} parts, ${parts.flatMap(({ operations }) => operations).length} operations`
  openFromAddress()
}

function operationsOf(api, tag) {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method]?.tags.includes(tag))
      .map((method) => ({ path, method, shared: item.parameters ?? [], ...item[method] })),
  )
}

function drawEntry({ name, description }) {
  const link = element('a', { href: `#${name}` }, element('span', { class: 'name' }, name))
  if (isTable(name)) link.append(element('span', { class: 'title' }, description))
  return element('li', { 'data-words': `${name} ${description}`.toLowerCase() }, link)
}

/** Parts of the API begin with a capital letter, tables never do. */
const isTable = (name) => /^[a-z]/.test(name)

function drawPart(api, part) {
  const { name, description } = part
  const summary = element(
    'summary',
    {},
    element('h2', {}, name),
    element('span', { class: 'title' }, description),
    element('span', { class: 'badges' }, ...badgesOf(part)),
  )
  const drawn = element(
    'details',
    { id: name, class: 'part', 'data-words': `${name} ${description}`.toLowerCase() },
    summary,
  )
  drawn.addEventListener('toggle', () => fill(drawn, api, part), { once: true })
  return drawn
}

const badgesOf = ({ operations }) => [...new Set(operations.map(({ method }) => method))].map((method) => badge(method))

const badge = (method) => element('span', { class: `method ${method}` }, method.toUpperCase())

function fill(drawn, api, { name, operations }) {
  const schema = api.components.schemas[name]
  drawn.append(
    element('div', { class: 'operations' }, ...operations.map((each) => drawOperation(api, each))),
    ...(isTable(name) && schema !== undefined ? [drawColumns(api, name, schema)] : []),
  )
}

function drawColumns(api, name, schema) {
  const { schemas } = api.components
  const written = (schemas[`${name}.put`] ?? schemas[`${name}.create`])?.properties ?? {}
  const rows = Object.entries(schema.properties).map(([column, known]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('code', {}, column)),
      element('td', {}, known.title ?? ''),
      element('td', { class: 'short' }, typeText(api, known)),
      element('td', { class: 'short' }, column in written ? 'read, write' : 'read'),
      element('td', { class: 'notes' }, ...marked(known.description ?? '')),
    ),
  )
  return element(
    'section',
    { class: 'columns' },
    element('h3', {}, `Columns (${rows.length})`),
    element(
      'div',
      { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Columns of ${name}` },
      element(
        'table',
        {},
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            ...['Name', 'Title', 'Type', 'Use', 'Notes'].map((head) => element('th', { scope: 'col' }, head)),
          ),
        ),
        element('tbody', {}, ...rows),
      ),
    ),
  )
}

function drawOperation(api, operation) {
  const { path, method, summary, description, parameters = [], shared, requestBody, security } = operation
  const schema = requestBody?.content['application/json'].schema
  const body = schema === undefined ? null : exampleOf(api, operation, schema)
  const asked = { method, path: samplePath(path, method), body, isOpen: security?.length === 0 }
  const curl = curlText({ base: baseOf(api), ...asked })
  const all = [...shared, ...parameters].map((each) => resolve(api, each))
  return element(
    'article',
    { id: operation.operationId },
    element('h3', {}, badge(method), element('code', {}, path), element('span', { class: 'summary' }, summary)),
    description === undefined ? null : element('p', {}, ...marked(description)),
    all.length === 0 ? null : drawParameters(api, all),
    element(
      'div',
      { class: 'example' },
      element('pre', { tabindex: '0' }, element('code', {}, curl)),
      element('button', { type: 'button', onclick: (event) => copy(event.currentTarget, curl) }, 'Copy'),
      element('button', { type: 'button', onclick: () => tryRequest(asked) }, 'Try'),
    ),
    drawAnswers(api, operation),
  )
}

function exampleOf(api, { operationId, method }, schema) {
  if (operationId.endsWith('query')) return { sysparm_query: 'ORDERBYDESCsys_created_at', sysparm_limit: 3 }
  if (operationId === 'patch') return { labels: { add: ['vpn'] } }
  if (schema.$ref?.endsWith('/AnyBody')) return { subject: 'Printer on the 7th floor' }
  if (method !== 'patch') return sampleBody(api, schema)
  const bodySchema = api.components.schemas[operationId.replace(/\.patch$/, '.put')]
  return bodySchema === undefined ? {} : sampleBody(api, bodySchema)
}

const baseOf = (api) => (api.servers[0].url === '/' ? location.origin : api.servers[0].url)

function drawParameters(api, parameters) {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => [
    element(
      'dt',
      {},
      element('code', {}, name),
      ` ${typeText(api, schema)}`,
      required ? ', needed' : '',
      place === 'header' ? ', header' : '',
    ),
    element('dd', {}, ...marked(description ?? '')),
  ])
  return element(
    'details',
    { class: 'parameters' },
    element('summary', {}, `Parameters (${parameters.length})`),
    element('dl', {}, ...rows.flat()),
  )
}

function drawAnswers(api, { responses }) {
  const rows = Object.entries(responses).map(([status, answer]) => {
    const { description } = resolve(api, answer)
    return element('li', {}, element('code', {}, status), ' ', ...marked(description))
  })
  return element(
    'details',
    { class: 'answers' },
    element('summary', {}, `Answers: ${Object.keys(responses).join(', ')}`),
    element('ul', {}, ...rows),
  )
}

/** Words between backticks as code. */
function marked(text) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part))
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text)
  button.textContent = 'Copied'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1_500)
}

/** Shows the parts that hold all the words, everything for none. */
export function filterParts(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  for (const node of document.querySelectorAll('[data-words]')) {
    node.hidden = !wanted.every((word) => node.dataset.words.includes(word))
  }
}

/** `#task` opens that part. */
export function openFromAddress() {
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (part === null || part.tagName !== 'DETAILS') return
  part.open = true
  part.scrollIntoView()
}
