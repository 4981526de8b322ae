/** Files and folders by path, for Node, Bun and Deno. */
export { fileAt, saveDownload, streamAt } from './files.ts'
export { type FileOutcome, type SyncOptions, type SyncResult, syncFolder } from './sync-folder.ts'
