// Borrows and returns equipment (docs/tutorial.md). Node 20 or newer, no packages.
//
//   DOCKET_URL=http://127.0.0.1:8080 DOCKET_TOKEN=… node borrow.mjs list
//   … node borrow.mjs take "Camera 1" 2026-12-24
//   … node borrow.mjs return "Camera 1"

const url = process.env.DOCKET_URL ?? 'http://127.0.0.1:8080'
const token = process.env.DOCKET_TOKEN
const attempts = 5

/** What the server says is wrong: `code` is for programs, `message` for people (docs/errors.md). */
class DocketError extends Error {
  constructor(status, { message, code, reason }) {
    super(message)
    this.status = status
    this.code = code
    this.reason = reason
  }
}

/** Sends a request. Waits and repeats it when the server is busy (429) or cannot be reached by its database (503). */
async function send(method, path, { parameters = {}, body, etag } = {}) {
  const target = `${url}${path}?${new URLSearchParams(parameters)}`
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(target, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(etag === undefined ? {} : { 'If-Match': etag }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (response.ok) return { data: answer.data, etag: response.headers.get('ETag') }
    // A write may have happened before a 503, so only reads are repeated then.
    const mayRepeat = response.status === 429 || (response.status === 503 && method === 'GET')
    if (!mayRepeat || attempt === attempts) throw new DocketError(response.status, answer.errors[0])
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(response.headers.get('Retry-After') ?? 1)))
  }
}

/** A value of a condition as data: `^` separates conditions, and `^'` keeps the server from computing `javascript:…`. */
const quoted = (value) => `^'${value.replaceAll('^', '^^')}`

const listFree = async () => {
  const { data } = await send('GET', '/rest/v1/table/equipment', {
    parameters: { sysparm_query: 'holderISEMPTY^ORDERBYname', sysparm_fields: 'name,kind', sysparm_limit: '100' },
  })
  return data
}

/** The record and its version. */
async function find(name) {
  const { data } = await send('GET', '/rest/v1/table/equipment', {
    parameters: { sysparm_query: `name=${quoted(name)}`, sysparm_fields: 'sys_id', sysparm_limit: '1' },
  })
  if (data.length === 0) throw new Error(`There is no ${name}.`)
  const path = `/rest/v1/table/equipment/${data[0].sys_id}`
  const read = await send('GET', path, { parameters: { sysparm_display_value: 'all' } })
  return { path, record: read.data[0], etag: read.etag }
}

/** Changes the record as it was read. If somebody changed it in between, reads it again. */
async function change(name, check, values) {
  for (let attempt = 1; ; attempt += 1) {
    const { path, record, etag } = await find(name)
    check(record)
    try {
      const { data } = await send('PATCH', path, { body: values, etag, parameters: { sysparm_fields: 'name,due_on' } })
      return data[0]
    } catch (error) {
      if (error.reason !== 'stale' || attempt === attempts) throw error
    }
  }
}

async function take(name, dueOn) {
  const { data: session } = await send('GET', '/v1/auth/session')
  const isFree = ({ holder }) => {
    if (holder.value !== null) throw new Error(`${name} is with ${holder.display_value}.`)
  }
  return change(name, isFree, { holder: session.user.sys_id, due_on: dueOn })
}

const giveBack = (name) => change(name, () => undefined, { holder: null, due_on: null })

const [command, name, dueOn] = process.argv.slice(2)
try {
  if (command === 'list') for (const item of await listFree()) console.log(`${item.name} (${item.kind})`)
  else if (command === 'take') console.log(`You have ${name} until ${(await take(name, dueOn)).due_on}.`)
  else if (command === 'return') console.log(`${(await giveBack(name)).name} is free.`)
  else throw new Error('Say list, take NAME DATE or return NAME.')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
