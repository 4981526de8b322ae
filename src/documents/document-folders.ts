import { join } from 'node:path'

/** The folders of documents in the data directory. */
export function documentFolders(dataDir: string) {
  return {
    fileFolder: join(dataDir, 'files'),
    uploadFolder: join(dataDir, 'uploads'),
    indexFolder: join(dataDir, 'index'),
    attachmentFolder: join(dataDir, 'attachments'),
  }
}
