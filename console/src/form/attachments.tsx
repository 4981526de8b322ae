import { useQuery, useQueryClient } from '@tanstack/react-query'
import { AccessDenied, NotFound } from 'docket-client'
import { useRef, useState } from 'react'
import { docket } from '../docket.ts'
import { prefix } from '../facts.ts'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import css from './form.module.css'

export interface Upload {
  readonly key: number
  readonly name: string
  /** 0 to 1. */
  readonly progress: number
  readonly error: string | null
  readonly cancel: () => void
}

/** Files on their way to the record, each with its progress. */
export function useUploads(table: string, sysId: string) {
  const client = useQueryClient()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const keys = useRef(0)
  const change = (key: number, part: Partial<Upload>): void =>
    setUploads((before) => before.map((each) => (each.key === key ? { ...each, ...part } : each)))
  const remove = (key: number): void => setUploads((before) => before.filter((each) => each.key !== key))
  const start = (file: File): void => {
    keys.current += 1
    const key = keys.current
    const request = new XMLHttpRequest()
    const cancel = (): void => {
      request.abort()
      remove(key)
    }
    setUploads((before) => [...before, { key, name: file.name, progress: 0, error: null, cancel }])
    request.upload.onprogress = ({ loaded, total }) => change(key, { progress: total === 0 ? 0 : loaded / total })
    request.onerror = () => change(key, { error: t('state.offline') })
    request.onload = () => {
      if (request.status >= 300) return change(key, { error: reasonOf(request.responseText) })
      remove(key)
      void client.invalidateQueries({ queryKey: ['attachments', sysId] })
    }
    request.open('POST', `${prefix}/v1/attachments/upload/${table}/${sysId}`)
    request.setRequestHeader('x-docket-console', '1')
    const body = new FormData()
    body.append('files[]', file)
    request.send(body)
  }
  return { uploads, add: (files: FileList): void => [...files].forEach(start), remove }
}

function reasonOf(body: string): string {
  try {
    return (JSON.parse(body) as { readonly message: string }).message
  } catch {
    return t('state.offline')
  }
}

interface AttachmentsProps {
  readonly table: string
  readonly sysId: string
  readonly uploads: ReturnType<typeof useUploads>
  readonly mayWrite: boolean
}

export function Attachments({ table: _table, sysId, uploads, mayWrite }: AttachmentsProps) {
  const input = useRef<HTMLInputElement>(null)
  const { data = [] } = useQuery({
    queryKey: ['attachments', sysId],
    queryFn: ({ signal }) =>
      docket
        .table('sys_attachment')
        .toArray(`record_id=${sysId}^ORDERBYDESCsys_created_at`, {
          fields: ['sys_id', 'file_name', 'content_type', 'size_bytes'],
          display: 'all',
          max: 100,
          signal,
        })
        .catch((error: unknown) => {
          if (error instanceof AccessDenied || error instanceof NotFound) return []
          throw error
        }),
  })
  if (data.length === 0 && !mayWrite) return null
  return (
    <section className={css.section} aria-label={t('files.title')}>
      <h2>{t('files.title')}</h2>
      <ul className={css.files}>
        {uploads.uploads.map(({ key, name, progress, error, cancel }) => (
          <li key={key} className={css.file}>
            <Icon name="clip" />
            <span className={css.fileName}>{name}</span>
            {error === null ? (
              <progress value={progress} aria-label={name} />
            ) : (
              <span className={css.fieldError} role="alert">
                {error}
              </span>
            )}
            <Button look="quiet" isIcon aria-label={t('files.cancel', { name })} onClick={cancel}>
              <Icon name="close" />
            </Button>
          </li>
        ))}
        {data.map((row) => {
          const id = String(row['sys_id']?.value)
          const name = row['file_name']?.display_value ?? id
          const href = `${prefix}/v1/attachments/${id}/file`
          const isImage = /^image\/(png|jpeg|gif|webp)$/.test(String(row['content_type']?.value))
          return (
            <li key={id} className={css.file}>
              {isImage ? <img src={href} alt="" loading="lazy" /> : <Icon name="clip" />}
              <a className={css.fileName} href={href} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
              <small>{sizeText(Number(row['size_bytes']?.value))}</small>
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
              if (event.target.files !== null) uploads.add(event.target.files)
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

function sizeText(bytes: number): string {
  if (!Number.isFinite(bytes)) return ''
  const [size, unit] =
    bytes < 1_024 ? [bytes, 'byte'] : bytes < 1_048_576 ? [bytes / 1_024, 'kilobyte'] : [bytes / 1_048_576, 'megabyte']
  return new Intl.NumberFormat(document.documentElement.lang, {
    style: 'unit',
    unit: unit as string,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(size as number)
}
