import { beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('documents of a record (issue 13)', () => {
  const stage = consoleStage()
  beforeAll(async () => {
    await send('PUT', '/collections/manuals', { acl_table: 'task' })
    await send('PUT', '/collections/contracts', { acl_table: 'company' })
  })

  async function send(method: string, path: string, body: object): Promise<void> {
    const response = await stage.docket.request(method, path, { as: admin, body })
    expect(response.status, JSON.stringify(response.body)).toBe(200)
  }
  const load = (sysId: string, id: string, title: string): Promise<void> =>
    send('POST', '/load_text_to_collection?collection_name=manuals', {
      text: `# ${title}\n\nHow to repair it.`,
      metadata: { doc_id: id, sys_id: sysId, title },
    })

  test('a form lists the documents of its record, by collection; each opens with its text', async () => {
    const [own, other] = [await stage.makeIncident('A broken plotter'), await stage.makeIncident('Without documents')]
    await load(own, 'plotter-1', 'Plotter: belts')
    await load(own, 'plotter-2', 'Plotter: pens')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${own}`)
    const section = page.getByRole('region', { name: 'Documents', exact: true })
    await section.locator('summary').filter({ hasText: 'manuals' }).waitFor()
    // A collection of another table is not named.
    expect(await section.locator('summary').allInnerTexts()).toEqual([expect.stringMatching(/^manuals\s+2$/)])
    await section.locator('summary').click()
    await expect.poll(() => section.getByRole('link').allInnerTexts()).toEqual(['Plotter: belts', 'Plotter: pens'])
    await stage.settled(page)
    await section.getByRole('link', { name: 'Plotter: pens' }).click()
    await page.getByRole('complementary', { name: 'Source' }).getByText('How to repair it.').waitFor()

    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${other}`)
    const listed = page.waitForEvent('requestfinished', (request) =>
      request.url().includes('/get_list_of_documents_names'),
    )
    await page.locator('#field-subject').waitFor()
    await listed
    await stage.settled(page)
    expect(await section.count()).toBe(0)
  })
})
