import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { randomKey } from 'docket-client'
import { Suspense, useEffect, useRef, useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'
import { prefix } from '../facts.ts'
import { coalesced } from '../live/coalesced.ts'
import { listen } from '../live/event-stream.ts'
import { readAgain } from '../live/read-again.ts'
import { t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'
import { Button, classes } from '../ui/button.tsx'
import { FailedReads } from '../ui/failed-reads.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/part.tsx'
import { sizeText } from '../ui/size-text.ts'
import { RetryButton } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { useIsGone } from '../ui/use-is-gone.ts'
import { confirmClosing } from '../unsaved-input.ts'
import { emptyIfForbidden } from './empty-if-forbidden.ts'
import { displayAddress, fileKindOf } from './file-kind.ts'
import type { PreviewedFile } from './file-preview.tsx'
import css from './form.module.css'
import { RemoveFile, useRemovableFiles } from './remove-file.tsx'
import { type UploadFailure, uploadFile } from './upload-file.ts'

export interface Upload {
  readonly key: number
  readonly name: string
  readonly file: File
  /** 0 to 1; null: the file waits until its record is created. */
  readonly progress: number | null
  readonly failure: UploadFailure | null
  readonly cancel: () => void
  readonly retry: () => void
}

export const readFilesAgain = (client: QueryClient, sysId: string): Promise<void> =>
  readAgain(client, ['attachments', sysId])

/** Uploads on their way. They go on when their form is left. */
const running = new Set<object>()
confirmClosing(() => running.size > 0)

/** Files that were chosen for a new record, and the record that was created with them: its form sends them. */
let waiting: { readonly sysId: string; readonly files: () => readonly File[] } | null = null

/**
 * Uploads to the record, each with its progress. A failed file stays in the list until the user sends it again or removes it. Files of a
 * new record wait for its creation.
 */
export function useUploads(table: string, sysId: string) {
  const client = useQueryClient()
  const isGone = useIsGone()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const keys = useRef(0)
  const change = (key: number, part: Partial<Upload>): void =>
    setUploads((before) => before.map((each) => (each.key === key ? { ...each, ...part } : each)))
  const remove = (key: number): void => setUploads((before) => before.filter((each) => each.key !== key))
  const send = (file: File, upload: { readonly key: number; readonly idempotencyKey: string }): void => {
    const url = `${prefix}/v1/attachments/upload/${table}/${sysId}`
    const { key } = upload
    const attempt = uploadFile({ url, file, key: upload.idempotencyKey }, (progress) => change(key, { progress }))
    running.add(attempt)
    const cancel = (): void => {
      attempt.cancel()
      running.delete(attempt)
      remove(key)
    }
    change(key, { progress: 0, failure: null, cancel })
    void attempt.failure.then((failure) => {
      running.delete(attempt)
      if (failure === null) remove(key)
      else {
        endIfSignedOut(failure.error)
        change(key, { failure })
        // An upload goes on when its form is left.
        if (isGone.current) showToast(t('files.lost', { name: file.name, reason: failure.message }))
      }
      void readFilesAgain(client, sysId)
    })
  }
  const start = (file: File): void => {
    keys.current += 1
    // The same for every attempt: a file whose response was lost is attached once.
    const upload = { key: keys.current, idempotencyKey: randomKey() }
    const retry = (): void => send(file, upload)
    const { key } = upload
    const cancel = (): void => remove(key)
    setUploads((before) => [...before, { key, name: file.name, file, progress: null, failure: null, cancel, retry }])
    if (sysId !== 'new') send(file, upload)
  }
  const latest = useRef(start)
  latest.current = start
  const chosen = useRef(uploads)
  chosen.current = uploads
  useEffect(() => {
    if (waiting?.sysId !== sysId) return
    const { files } = waiting
    waiting = null
    for (const file of files()) latest.current(file)
  }, [sysId])
  return {
    uploads,
    add: (files: readonly File[]): void => files.forEach(start),
    unsent: unsentFiles(uploads),
    /** Hands the files to the form of the record that was created: as they are when that form is there, since they may change until then. */
    passOn: (created: string): void => {
      waiting = { sysId: created, files: () => chosen.current.map(({ file }) => file) }
    },
  }
}

/** What is lost with the form: files that wait or can be sent again; with the page: also those on their way. */
export type UnsentFiles = 'none' | 'on-their-way' | 'waiting'

function unsentFiles(uploads: readonly Upload[]): UnsentFiles {
  if (uploads.some(({ progress, failure }) => progress === null || failure?.canRetry === true)) return 'waiting'
  return uploads.some(({ failure }) => failure === null) ? 'on-their-way' : 'none'
}

/** Browsers give every picture of the clipboard the same name. */
function named(file: File): File {
  if (file.name !== 'image.png') return file
  const now = new Date()
  const at = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString()
  return new File([file], `image ${at.slice(0, 10)} ${at.slice(11, 19).replaceAll(':', '-')}.png`, { type: file.type })
}

/** Files from the clipboard, such as a picture of the screen. @param add null: this page accepts no files */
export function usePastedFiles(add: ((files: readonly File[]) => void) | null): void {
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const { files, types } = event.clipboardData ?? {}
      // Cells of a spreadsheet arrive as text and as a picture of it: the field gets the text.
      if (files === undefined || files.length === 0 || types?.includes('text/plain') === true) return
      if (latest.current === null) return
      event.preventDefault()
      latest.current([...files].map(named))
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  }, [])
}

/** A file that was removed from the record, as the server sends it. */
export interface RemovedFile {
  readonly sys_id: string
  readonly file_name: string | null
  readonly size_bytes: number | null
  readonly attached_at: string | null
  readonly attached_by: { readonly display_value: string | null } | null
  readonly removed_at: string | null
  readonly removed_by: { readonly display_value: string | null } | null
}

/** The files that were removed from a record, as far as the user could read them. A change of the files reads them again. */
export const useRemovedFiles = (table: string, sysId: string) => {
  const { data: tables = [] } = useTables()
  return useQuery({
    queryKey: ['attachments', sysId, 'removed'],
    enabled: tables.some(({ name }) => name === 'sys_attachment'),
    queryFn: ({ signal }) =>
      docket
        .request<readonly RemovedFile[]>({ method: 'GET', path: `/v1/attachments/removed/${table}/${sysId}`, signal })
        .catch(emptyIfForbidden),
  })
}

/** Files that others attach or remove are read at once. Any event of a file counts: whether it names its record depends on the reader's rights. */
function useFileEvents(sysId: string): void {
  const client = useQueryClient()
  const { data: tables = [] } = useTables()
  const mayRead = tables.some(({ name }) => name === 'sys_attachment')
  useEffect(() => {
    if (!mayRead || sysId === 'new') return undefined
    const read = coalesced(() => readFilesAgain(client, sysId))
    return listen(['sys_attachment'], (event) => {
      if (event.kind === 'reset' || (event.kind === 'change' && event.change.table === 'sys_attachment')) read()
    })
  }, [client, mayRead, sysId])
}

const maxFiles = 1_000

/** The files of a record that the user may read, newest first. */
export const useAttachments = (sysId: string) =>
  useQuery({
    queryKey: ['attachments', sysId],
    enabled: sysId !== 'new',
    queryFn: ({ signal }) =>
      docket
        .table('sys_attachment')
        .list(`record_id=${sysId}^ORDERBYDESCsys_created_at`, {
          fields: ['sys_id', 'file_name', 'content_type', 'size_bytes', 'sys_created_at', 'sys_created_by'],
          display: 'all',
          signal,
        })
        .toArray({ max: maxFiles })
        .catch(emptyIfForbidden),
  })

interface AttachmentsProps {
  readonly table: string
  readonly sysId: string
  readonly uploads: ReturnType<typeof useUploads>
  readonly mayWrite: boolean
}

export function Attachments({ table, sysId, uploads, mayWrite }: AttachmentsProps) {
  const input = useRef<HTMLInputElement>(null)
  const files = useAttachments(sysId)
  const { data = [] } = files
  useFileEvents(sysId)
  const removable = useRemovableFiles(table, sysId, mayWrite && data.length > 0)
  if (data.length + uploads.uploads.length === 0 && !mayWrite && files.error === null) return null
  return (
    <section className={css.section} aria-label={t('files.title')}>
      <h2>{t('files.title')}</h2>
      <FailedReads reads={[files, removable]} />
      <ul className={css.files}>
        {uploads.uploads.map(({ key, name, file, progress, failure, cancel, retry }) => (
          <li key={key} className={classes(css.file, failure !== null && css.failedFile)}>
            <Icon name="clip" />
            <span className={css.fileName}>{name}</span>
            {progress === null ? (
              <small>{sizeText(file.size)}</small>
            ) : failure === null ? (
              <progress value={progress} aria-label={name} />
            ) : (
              <span className={css.fieldError} role="alert">
                {failure.message}
              </span>
            )}
            {failure?.canRetry === true && (
              <RetryButton
                error={failure.error}
                isAutomatic={false}
                onRetry={retry}
                label={t('files.retry', { name })}
              />
            )}
            <Button look="quiet" isIcon aria-label={t('files.cancel', { name })} onClick={cancel}>
              <Icon name="close" />
            </Button>
          </li>
        ))}
        {data.map((row) => {
          const id = String(row['sys_id']?.value)
          const name = row['file_name']?.display_value ?? id
          const size = Number(row['size_bytes']?.value)
          return (
            <li key={id} className={css.file}>
              <Preview file={{ sysId: id, name, mediaType: String(row['content_type']?.value), size }} />
              <a className={css.fileName} href={displayAddress(id)} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
              <small>{sizeText(size)}</small>
              {removable.data?.includes(id) === true && <RemoveFile record={sysId} file={id} name={name} />}
            </li>
          )
        })}
      </ul>
      {mayWrite && (
        <>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              uploads.add([...(event.target.files ?? [])])
              event.target.value = ''
            }}
          />
          <div className={css.drop}>
            <Button onClick={() => input.current?.click()}>
              <Icon name="clip" /> {t('files.add')}
            </Button>
            <small>{t('files.hint')}</small>
          </div>
        </>
      )}
    </section>
  )
}

const FilePreview = lazyDialog(async () => (await import('./file-preview.tsx')).FilePreview)

/** The thumbnail of a picture, or a sign for a text: it opens the preview. Other files have none. */
function Preview({ file }: { readonly file: PreviewedFile }) {
  const [isOpen, setOpen] = useState(false)
  const kind = fileKindOf(file.mediaType)
  if (kind === 'other') return <Icon name="clip" />
  return (
    <>
      <button
        type="button"
        className={css.preview}
        aria-label={t('files.preview', { name: file.name })}
        title={t('files.preview', { name: file.name })}
        onClick={() => setOpen(true)}
      >
        {kind === 'picture' ? <img src={displayAddress(file.sysId)} alt="" loading="lazy" /> : <Icon name="eye" />}
      </button>
      <Suspense>{isOpen && <FilePreview file={file} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
