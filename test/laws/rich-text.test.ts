import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMarkup } from '../../src/column-types/editor/rich-text.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type Stage, setStage } from '../contract/records/fixture.ts'

/** Text and HTML in one WYSIWYG column (issue 8, B4). */

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`select docket_system.define_column('probe', 'c_json_mode', 'wysiwyg', 'c', 'c', '{}'::jsonb)`,
    sql`insert into docket.sys_property (name, value) values ('wysiwyg.columns.rest_api_json_mode', 'probe.c_json_mode')
      on conflict (docket_system.fold(name)) do update set value = excluded.value`,
  ])
})
afterAll(() => stage.close())

const runs = Number(process.env['DOCKET_LAW_RUNS'] ?? 100)
const pieces = fc
  .array(
    fc.constantFrom(
      ...[
        '<',
        '>',
        '/',
        '&',
        ' ',
        '"',
        '=',
        'a',
        'b',
        'x',
        '\n',
        '&&',
        '&amp;',
        '&lt;',
        '<b>',
        '</b>',
        '<p ',
        '<script>',
      ],
      ...[
        '</script>',
        '<img src=x',
        ' onerror=alert(1)',
        'onclick=',
        '<x',
        '<!--',
        '-->',
        'href=javascript:',
        'style=',
        'class="y"',
      ],
    ),
    { maxLength: 12 },
  )
  .map((all) => all.join(''))

interface Fields {
  readonly c_wysiwyg: string
  readonly c_json_mode: unknown
}

async function written(method: string, body: unknown): Promise<Fields> {
  const response = await stage.docket.request(
    method,
    '/rest/v1/table/probe/2003?sysparm_fields=c_wysiwyg,c_json_mode',
    {
      as: stage.callerOf('worker'),
      body,
    },
  )
  expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: response.text })
  return (JSON.parse(response.text) as { data: [Fields] }).data[0]
}

/** Tags and attributes with code that a browser could run, found by a lenient parser. */
function findActive(html: string): readonly string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'script') found.push(name)
      for (const [key, value] of Object.entries(attributes))
        if (/^on|^style$/i.test(key) || /^\s*javascript:/i.test(value)) found.push(key)
    },
  })
  parser.end(html)
  return found
}

describe('a WYSIWYG column', () => {
  test('gives back a text as it was written, and nothing that runs', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (text) => {
        const fields = await written('PUT', { c_wysiwyg: text })
        if (!isMarkup(text)) expect(fields.c_wysiwyg).toBe(text)
        expect(findActive(fields.c_wysiwyg)).toEqual([])
        const again = await written('PUT', { c_wysiwyg: fields.c_wysiwyg })
        expect(again.c_wysiwyg).toBe(fields.c_wysiwyg)
      }),
      { numRuns: runs },
    )
  })

  test('appends and prepends without mixing the two, and without making anything that runs', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, pieces, fc.constantFrom('append', 'prepend'), async (text, more, instruction) => {
        const before = (await written('PUT', { c_wysiwyg: text })).c_wysiwyg
        const { c_wysiwyg: after } = await written('PATCH', { c_wysiwyg: { [instruction]: more } })
        expect(findActive(after)).toEqual([])
        if (isMarkup(text) || isMarkup(more)) return
        const joined = instruction === 'append' ? before + more : more + before
        if (!isMarkup(joined)) expect(after).toBe(joined)
      }),
      { numRuns: runs },
    )
  })

  test('gives the editor no link that runs, whatever is stored', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (text) => {
        await stage.run(sql`update docket.probe set c_json_mode = ${text} where sys_id = 2003`)
        const { c_json_mode: document } = await written('PUT', {})
        expect(JSON.stringify(document)).not.toMatch(/"(href|src)":"\s*javascript:/i)
      }),
      { numRuns: runs },
    )
  })

  test('is judged alike by the server and by PostgreSQL', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 50, size: 'max' }), async (texts) => {
        const rows = await stage.run(
          sql`select docket_system.is_markup(t.v) as is_markup from unnest(${texts}::text[]) with ordinality as t (v, n) order by t.n`,
        )
        expect(rows).toEqual(texts.map((text) => ({ is_markup: isMarkup(text) })))
      }),
      { numRuns: runs },
    )
  })
})
