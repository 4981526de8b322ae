import { docket, serverUrl } from '../docket.ts'
import { copyText } from '../ui/copy-text.ts'

const formats = {
  curl: curlText,
  TypeScript: typeScriptText,
  JavaScript: javaScriptText,
  Python: pythonText,
  JSON: jsonText,
} as const
export type CopyFormat = keyof typeof formats

/** Copies the request that reads a record, for a shell or a program, or the record. The key is never in it: programs read it from the environment. */
export async function copyAs(format: CopyFormat, table: string, sysId: string): Promise<void> {
  await copyText(await formats[format](table, sysId))
}

const pathOf = (table: string, sysId: string): string => `/rest/v1/table/${table}/${sysId}`

function curlText(table: string, sysId: string): string {
  return `curl -sS --fail-with-body -H "Authorization: Bearer $DOCKET_TOKEN" '${serverUrl}${pathOf(table, sysId)}'`
}

/** With docket-client, which repeats what may be repeated; packages/client/README.md says how it is installed. */
function typeScriptText(table: string, sysId: string): string {
  return `import { connect } from 'docket-client'

const docket = connect({ url: '${serverUrl}', token: process.env.DOCKET_TOKEN })
const { row } = await docket.table('${table}').get('${sysId}')
console.log(JSON.stringify(row, null, 2))
`
}

/** In a function, so that it runs wherever it is pasted: a module, a script, or the prompt of Node. */
function javaScriptText(table: string, sysId: string): string {
  return `async function readRecord() {
  const response = await fetch('${serverUrl}${pathOf(table, sysId)}', {
    headers: { Authorization: \`Bearer \${process.env.DOCKET_TOKEN}\` },
  })
  const body = await response.json()
  if (!response.ok) throw new Error(body.message)
  return body.data[0]
}

readRecord().then((record) => console.log(JSON.stringify(record, null, 2)))
`
}

function pythonText(table: string, sysId: string): string {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    "${serverUrl}${pathOf(table, sysId)}",
    headers={"Authorization": f"Bearer {os.environ['DOCKET_TOKEN']}"},
)
with urllib.request.urlopen(request, timeout=30) as response:
    record = json.load(response)["data"][0]
print(json.dumps(record, ensure_ascii=False, indent=2))
`
}

async function jsonText(table: string, sysId: string): Promise<string> {
  const rows = await docket.request<readonly unknown[]>({ method: 'GET', path: pathOf(table, sysId) })
  return JSON.stringify(rows[0], null, 2)
}
