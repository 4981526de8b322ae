import { isResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { type Check, type DatabaseGround, listNames } from '../check.ts'

/** Views whose elements name columns that are not there. */
export const checkViews: Check<DatabaseGround> = {
  name: 'views',
  async run({ catalog }) {
    const views = [...catalog.views.values()].flat()
    const broken = views.flatMap(({ title, table: name, columns }) => {
      const table = catalog.tables.get(name)
      const missing = columns.filter(
        (path) => table === undefined || !isResolvedPath(resolvePath(catalog, table, path.split('.'))),
      )
      return missing.length === 0 ? [] : [{ view: `${title} of ${name}`, missing }]
    })
    const summary = `${views.length}`
    const [first] = broken
    if (first === undefined) return { summary, findings: [] }
    const what = `A view names columns that are not there: ${listNames(first.missing)}`
    const cure = 'delete these rows of sys_ui_form_element, or create the columns again'
    return {
      summary,
      findings: [{ fault: 'view-broken', what, where: listNames(broken.map(({ view }) => view)), cure }],
    }
  },
}
