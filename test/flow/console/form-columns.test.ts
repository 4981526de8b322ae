import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('columns of a form (issue 13)', () => {
  const stage = consoleStage()

  async function add(table: string, body: object): Promise<string> {
    const { status, body: response } = await stage.docket.request('POST', `/rest/v1/table/${table}`, {
      as: admin,
      body,
    })
    expect({ table, status, response: status === 200 ? '' : response }).toEqual({ table, status: 200, response: '' })
    return (response as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }
  const roles = [{ find: { name: 'itil' } }]

  beforeAll(async () => {
    for (const name of ['visit', 'secret_place']) await add('sys_db_table', { name, title: name })
    const table_id = { find: { name: 'visit' } }
    const column = (column_name: string, title: string, more: object = {}): Promise<string> =>
      add('sys_db_column', { table_id, column_name, title, column_type_id: { find: { name: 'string' } }, ...more })
    await column('name', 'Name', { display_by_ref: true, max_length: 40 })
    await column('badge', 'Badge', { mandatory: true })
    await column('remark', 'Remark')
    await column('place', 'Place', {
      column_type_id: { find: { name: 'reference' } },
      reference_id: { find: { name: 'secret_place' } },
    })
    await column('host', 'Host', {
      column_type_id: { find: { name: 'reference' } },
      reference_id: { find: { name: 'user' } },
    })
    for (const operation of ['read', 'create', 'write', 'delete'])
      await add('sys_security_acl', { operation, table_name: 'visit', roles })
    const form = await add('sys_ui_form', { title: 'Default view', table_id })
    const section_id = await add('sys_ui_form_section', { form_id: form, title: 'Visit', order: 1 })
    for (const [order, column_name] of ['name', 'place', 'host.email', 'place.sys_id'].entries())
      await add('sys_ui_form_element', { section_id, column_name, order })
  })
  const visits = () => stage.docket.database.rows(sql`select name, badge, remark from docket.visit order by sys_id`)

  test('what a create needs is in the form, though its view leaves it out; the others are under "All fields"', async () => {
    const page = await stage.signedIn('michael.brown', '/t/visit/new')
    await page.locator('#field-name').fill('First visit')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.locator('#field-badge-error').waitFor()
    expect(await visits()).toEqual([])
    await page.locator('#field-badge').fill('B-7')
    await page.getByText(/^All fields/).click()
    await page.locator('#field-remark').fill('By the back door')
    expect(await stage.findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Created: First visit').waitFor()
    expect(await visits()).toEqual([{ name: 'First visit', badge: 'B-7', remark: 'By the back door' }])
  })

  test('a form displays what its view names of other records, as far as its reader may see it', async () => {
    const host = { find: { user_name: 'elena.volkova' } }
    const sysId = await add('visit', { name: 'Hosted', badge: 'B-12', host })
    const emailOf = async (name: string): Promise<string> => {
      const [row] = await stage.docket.database.rows<{ email: string }>(
        sql`select email from docket."user" where user_name = ${name}`,
      )
      return row?.email ?? 'none'
    }
    const page = await stage.signedIn('michael.brown', `/t/visit/${sysId}`)
    const section = page.getByRole('region', { name: 'Visit' })
    await section.getByText('Host › E-mail').waitFor()
    await section.getByText(await emailOf('elena.volkova'), { exact: true }).waitFor()
    expect(await section.getByText(/^Place ›/).count()).toBe(0)
    expect(await stage.findings(page)).toEqual([])
    const path = `/rest/v1/table/visit/${sysId}`
    const body = { host: { find: { user_name: 'john.smith' } } }
    expect((await stage.docket.request('PATCH', path, { as: admin, body })).status).toBe(200)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await section.getByText(await emailOf('john.smith'), { exact: true }).waitFor()
  })

  test('an address fills in nothing that its reader does not see', async () => {
    const page = await stage.signedIn('michael.brown', '/t/visit/new?set=name=Linked^remark=Hidden')
    await expect.poll(() => page.locator('#field-name').inputValue()).toBe('Linked')
    // "All fields" is open because it has one of them.
    await expect.poll(() => page.locator('#field-remark').inputValue()).toBe('Hidden')
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/new?set=subject=Linked^work_notes=Never written^state=7`)
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Linked')
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().includes('itsm_incident'),
    )
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    expect((await sent).postDataJSON()).toEqual({ subject: 'Linked' })
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
  })

  test('text is dropped into fields, files onto the page', async () => {
    const sysId = await add('visit', { name: 'Dropped', badge: 'B-11' })
    const page = await stage.signedIn('michael.brown', `/t/visit/${sysId}`)
    await page.locator('#field-name').waitFor()
    // What the page prevents, the browser does not do.
    const prevented = (fill: string): Promise<readonly boolean[]> =>
      page.locator('#field-name').evaluate((field, of) => {
        const make = new Function(
          'field',
          `const dataTransfer = new DataTransfer()
            ${of}
            return ['dragover', 'drop'].map((type) =>
              !field.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })))`,
        ) as (field: unknown) => readonly boolean[]
        return make(field)
      }, fill)
    expect(await prevented(`dataTransfer.setData('text/plain', 'Moved')`)).toEqual([false, false])
    expect(await prevented(`dataTransfer.items.add(new File(['1'], 'dropped.txt'))`)).toEqual([true, true])
    await page.getByRole('link', { name: 'dropped.txt' }).first().waitFor()
  })

  test('the next new record begins empty', async () => {
    const page = await stage.signedIn('michael.brown', '/t/visit/new')
    await page.locator('#field-name').fill('Second visit')
    await page.locator('#field-badge').fill('B-8')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Back to visit' }).click()
    await page.getByRole('grid').waitFor()
    await page.getByRole('link', { name: 'New', exact: true }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).waitFor()
    await expect.poll(() => page.locator('#field-name').inputValue()).toBe('')
    await expect.poll(() => page.locator('#field-badge').inputValue()).toBe('')
  })

  test('a text that is too long is not cut: the form says how long it may be, and so does the server', async () => {
    const sysId = await add('visit', { name: 'Third visit', badge: 'B-9' })
    const page = await stage.signedIn('michael.brown', `/t/visit/${sysId}`)
    const field = page.locator('#field-name')
    await field.waitFor()
    await field.press('Control+a')
    const long = `${'x'.repeat(40)}${'é😀'.repeat(3)}`
    await page.keyboard.insertText(long)
    await page.locator('#field-name-error').getByText('At most 40 characters; this has 46.').waitFor()
    expect(await field.inputValue()).toBe(long)
    expect(await stage.findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('#field-name-error').getByText('The value of “Name” is rejected').waitFor()
    expect(await field.inputValue()).toBe(long)
    await field.fill('😀'.repeat(40))
    await page.locator('#field-name-error').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
  })

  test('a rejection that comes after the text was changed is above the fields, and the focus stays where the user types', async () => {
    const sysId = await add('visit', { name: 'Late visit', badge: 'B-12' })
    const page = await stage.signedIn('michael.brown', `/t/visit/${sysId}`)
    const field = page.locator('#field-name')
    await field.fill('x'.repeat(41))
    let reject = (): void => undefined
    const rejected = new Promise<void>((resolve) => {
      reject = resolve
    })
    await page.route(
      (url) => url.pathname.endsWith(`/rest/v1/table/visit/${sysId}`),
      async (route) => {
        if (route.request().method() === 'PATCH') await rejected
        await route.continue()
      },
    )
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await field.press('Control+s')
    await sent
    await field.fill('x'.repeat(40))
    await page.getByText(/^All fields/).click()
    await page.locator('#field-badge').fill('B-13')
    reject()
    await page.getByRole('alert').getByText('The value of name is rejected').waitFor()
    expect(await page.locator('#field-name-error').count()).toBe(0)
    expect(await page.evaluate('document.activeElement.id')).toBe('field-badge')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await visits()).toContainEqual({ name: 'x'.repeat(40), badge: 'B-13', remark: null })
  })

  test('a reference to a table that the user may not read is "Not visible", is no field, and a save keeps it', async () => {
    await add('sys_db_column', {
      table_id: { find: { name: 'secret_place' } },
      column_name: 'name',
      title: 'Name',
      column_type_id: { find: { name: 'string' } },
      display_by_ref: true,
    })
    const place = await add('secret_place', { name: 'Vault' })
    const sysId = await add('visit', { name: 'Fourth visit', badge: 'B-10', place })
    const page = await stage.signedIn('michael.brown', `/t/visit/${sysId}`)
    await page.locator('#form-fields').getByText('Not visible', { exact: true }).waitFor()
    expect(await page.locator('#field-place').count()).toBe(0)
    await page.locator('#field-name').fill('Fourth visit, saved')
    await page.locator('#field-name').press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await page.content()).not.toContain(place)
    const as = loginOf('michael.brown')
    const { body } = await stage.docket.request('GET', `/rest/v1/table/visit/${sysId}?sysparm_fields=name`, { as })
    expect(body).toMatchObject({ data: [{ name: 'Fourth visit, saved' }] })
    expect(
      await stage.docket.database.rows(sql`select place::text as place from docket.visit where sys_id = ${sysId}`),
    ).toEqual([{ place }])
  })
})
