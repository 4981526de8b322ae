import { countFileStores } from '../../documents/store/file-stores.ts'
import type { Check, DatabaseGround } from '../check.ts'

/** Whether all running servers keep files in one place. */
export const checkFileStores: Check<DatabaseGround> = {
  name: 'file stores',
  async run({ database }) {
    const stores = await countFileStores(database)
    const summary = stores === 0 ? 'no server is running' : 'all running servers share one'
    if (stores < 2) return { summary, findings: [] }
    const what = 'Servers of this database keep files in different places: each lacks what the others received'
    const cure = 'give all servers one object store (DOCKET_S3_ENDPOINT), or one folder as DOCKET_DATA_DIR'
    return { summary, findings: [{ fault: 'file-stores-differ', what, where: `${stores} file stores`, cure }] }
  },
}
