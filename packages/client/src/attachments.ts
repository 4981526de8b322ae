/** Files of records. An entry of its own, so that programs without files do not load it. */
import { type Download, download } from './download.ts'
import type { CallOptions, Send } from './http.ts'
import { pathSegment } from './path-segment.ts'
import { condition } from './query.ts'
import { randomKey } from './random-key.ts'
import { TableClient } from './records.ts'
import { type FileInput, type SentBytes, uploadOf } from './upload-body.ts'

export type { Download } from './download.ts'
export type { FileInput, NamedFile, SentBytes } from './upload-body.ts'

/** A file, as an upload returns it (docs/changes.md). */
export interface Attachment {
  readonly sys_id: string
  readonly file_name: string
  readonly table: string
  readonly record_id: string
  readonly content_type: string
  readonly size_bytes: number
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  readonly link: string
}

/** A file in a list. */
export interface ListedAttachment {
  readonly sys_id: string
  readonly file_name: string
  readonly content_type: string
  readonly size_bytes: number
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  readonly sys_created_at: string
  readonly sys_created_by: string
}

export interface UploadOptions extends CallOptions {
  readonly onProgress?: ((bytes: SentBytes) => void) | undefined
}

/** `new AttachmentsClient(docket)`. The rights are those of the record and those of sys_attachment. */
export class AttachmentsClient {
  readonly #send: Send

  constructor({ send }: { readonly send: Send }) {
    this.#send = send
  }

  /**
   * Attaches files, all or none. The idempotency key makes a repeated request attach them once. A transfer has no limit of time, unless
   * `timeoutMs` is given.
   */
  async upload(
    table: string,
    sysId: string,
    files: FileInput | readonly FileInput[],
    { onProgress, ...options }: UploadOptions = {},
  ): Promise<readonly Attachment[]> {
    const parts = [files].flat().map((file) => ['files[]', file as FileInput] as const)
    const upload = uploadOf({ parts, onProgress })
    const response = await this.#send({
      timeoutMs: Number.POSITIVE_INFINITY,
      idempotencyKey: randomKey(),
      ...options,
      ...upload,
      headers: { ...options.headers, ...upload.headers },
      method: 'POST',
      path: `/v1/attachments/upload/${pathSegment(table)}/${pathSegment(sysId)}`,
    })
    return ((await response.json()) as { readonly data: readonly Attachment[] }).data
  }

  /** The files of a record, oldest first. */
  async list(sysId: string, options: CallOptions = {}): Promise<readonly ListedAttachment[]> {
    const files = new TableClient<ListedRow>('sys_attachment', this.#send)
    const query = {
      where: condition('record_id', '=', sysId, true),
      orders: [{ path: ['sys_id'], direction: 'ascending', position: 0 }],
    } as const
    const found: ListedAttachment[] = []
    for await (const row of files.list(query, { ...options, fields: listedFields }))
      found.push({ ...row, size_bytes: Number(row.size_bytes) })
    return found
  }

  async download(sysId: string, options: CallOptions = {}): Promise<Download> {
    return download(this.#send, `/v1/attachments/${pathSegment(sysId)}/file`, options)
  }

  async delete(sysId: string, options: CallOptions = {}): Promise<void> {
    await this.#send({ ...options, method: 'DELETE', path: `/v1/attachments/${pathSegment(sysId)}` })
  }
}

const listedFields = [
  'sys_id',
  'file_name',
  'content_type',
  'size_bytes',
  'hash',
  'sys_created_at',
  'sys_created_by',
] as const

type ListedRow = Omit<ListedAttachment, 'size_bytes'> & { readonly size_bytes: string }
