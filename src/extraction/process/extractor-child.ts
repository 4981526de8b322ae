/** The extraction process: reads one file at a time on orders of the server. Started by `extractor-pool.ts` only. */
import { Socket } from 'node:net'
import { forbidNetwork } from '../../processes/forbid-network.ts'
import { extractDocument } from '../extract-document.ts'
import { type ExtractOrder, type ExtractReport, resultDescriptor } from './extractor-messages.ts'
import { writeResult } from './result-frame.ts'

forbidNetwork()

const results = new Socket({ fd: resultDescriptor, readable: false, writable: true })
const report = (message: ExtractReport): void => void process.send?.(message)

/** A message for each page would cost more than the page. */
const pagesPerReport = 10

process.on('message', ({ number, file, limits }: ExtractOrder) => {
  report({ number, kind: 'begun' })
  const onPage = (done: number, of: number): void => {
    if (done % pagesPerReport === 0) report({ number, kind: 'page', done, of })
  }
  extractDocument(file, limits, onPage).then(
    (result) => results.write(writeResult(result)),
    (error: unknown) => report({ number, kind: 'failed', detail: String(error) }),
  )
})

// The server is gone: nobody waits for the text.
process.on('disconnect', () => process.exit(0))
