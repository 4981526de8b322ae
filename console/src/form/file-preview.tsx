import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { Button, classes } from '../ui/button.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { Icon } from '../ui/icon.tsx'
import { sizeText } from '../ui/size-text.ts'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { displayAddress, fileAddress, fileKindOf } from './file-kind.ts'
import css from './file-preview.module.css'

export interface PreviewedFile {
  /** sys_id of sys_attachment. */
  readonly sysId: string
  readonly name: string
  readonly mediaType: string
  /** Bytes. */
  readonly size: number
}

/** A picture, or the beginning of a text, without leaving the form. */
export function FilePreview({ file, onClose }: { readonly file: PreviewedFile; readonly onClose: () => void }) {
  const { sysId, name, mediaType } = file
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={classes(ui.dialog, css.dialog)}>
          <Dialog.Title render={<h2 />}>{name}</Dialog.Title>
          {fileKindOf(mediaType) === 'picture' ? <Picture file={file} /> : <Text file={file} />}
          <div className={`${ui.row} ${ui.end}`}>
            <a className={ui.button} href={displayAddress(sysId)} target="_blank" rel="noopener noreferrer">
              {t('files.openTab')}
            </a>
            <a className={ui.button} href={fileAddress(sysId)} download={name}>
              <Icon name="download" /> {t('files.download')}
            </a>
            <Dialog.Close render={<Button>{t('action.close')}</Button>} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Picture({ file: { sysId, name } }: { readonly file: PreviewedFile }) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <p role="alert">{t('files.notDisplayed')}</p>
  return <img className={css.picture} src={displayAddress(sysId)} alt={name} onError={() => setBroken(true)} />
}

/** Bytes of a text that are displayed. A longer one is opened in a tab, or downloaded. */
const maxBytes = 102_400

function Text({ file: { sysId, name, size } }: { readonly file: PreviewedFile }) {
  const queryKey = ['file-text', sysId]
  const text = useQuery({
    queryKey,
    // The bytes of a file never change.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }) => readBeginning(sysId, size, signal),
  })
  const { data, error, refetch } = text
  if (error !== null) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <FirstRead queryKey={queryKey} read={text} lines={8} />
  if (data === null) return <p role="alert">{t('files.notDisplayed')}</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
      <pre className={css.text} tabIndex={0} role="region" aria-label={name}>
        {data}
      </pre>
      {size > maxBytes && <p className={css.hint}>{t('files.beginning', { size: sizeText(maxBytes) })}</p>}
    </>
  )
}

/** @returns null: the server does not take the bytes for a text */
async function readBeginning(sysId: string, size: number, signal: AbortSignal): Promise<string | null> {
  const accept = { accept: '*/*' }
  const headers = size > maxBytes ? { ...accept, range: `bytes=0-${maxBytes - 1}` } : accept
  const path = `/v1/attachments/${sysId}/file?inline=1`
  const response = await docket.send({ method: 'GET', path, headers, signal })
  if (!(response.headers.get('content-type') ?? '').startsWith('text/plain')) {
    await response.body?.cancel()
    return null
  }
  // The last character may be cut: the decoder waits for the rest of it.
  return new TextDecoder().decode(await response.arrayBuffer(), { stream: true })
}
