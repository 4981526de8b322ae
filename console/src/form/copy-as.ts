import { docket, serverUrl } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { showToast } from '../ui/toast.tsx'

const formats = { curl: curlText, JavaScript: javaScriptText, Python: pythonText, JSON: jsonText } as const
export type CopyFormat = keyof typeof formats

/** Copies the request that reads a record, for a shell or a program, or the record. The key is never in it: programs read it from the environment. */
export async function copyAs(format: CopyFormat, table: string, sysId: string): Promise<void> {
  await navigator.clipboard.writeText(await formats[format](table, sysId))
  showToast(t('me.copied'))
}

const pathOf = (table: string, sysId: string): string => `/rest/v1/table/${table}/${sysId}`

function curlText(table: string, sysId: string): string {
  return `curl -H "Authorization: Bearer $DOCKET_TOKEN" '${serverUrl}${pathOf(table, sysId)}'`
}

function javaScriptText(table: string, sysId: string): string {
  return `import { connect } from 'docket-client'

const docket = connect({ url: '${serverUrl}', token: process.env.DOCKET_TOKEN })
console.log(await docket.table('${table}').first('sys_id=${sysId}'))
`
}

function pythonText(table: string, sysId: string): string {
  return `import os
import requests

response = requests.get(
    "${serverUrl}${pathOf(table, sysId)}",
    headers={"Authorization": f"Bearer {os.environ['DOCKET_TOKEN']}"},
    timeout=30,
)
response.raise_for_status()
print(response.json()["data"][0])
`
}

async function jsonText(table: string, sysId: string): Promise<string> {
  const rows = await docket.request<readonly unknown[]>({ method: 'GET', path: pathOf(table, sysId) })
  return JSON.stringify(rows[0], null, 2)
}
