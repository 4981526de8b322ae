import { type FormEvent, useState } from 'react'
import { useSession } from '../app.tsx'
import { pageHeaders } from '../docket.ts'
import { prefix } from '../facts.ts'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { copyText } from '../ui/copy-text.ts'
import ui from '../ui/ui.module.css'
import css from './api.module.css'
import { type Api, curlText, type Operation, sampleBody, samplePath } from './describe.ts'

const maxUnits = 200_000

interface Response {
  readonly isOk: boolean
  readonly line: string
  readonly headers: string
  readonly text: string
}

/** Sends a request as the user, with the session of the page. */
export function TryRequest({ api, operation }: { readonly api: Api; readonly operation: Operation }) {
  const { roles } = useSession()
  const sampled = sampleBody(api, operation)
  const [path, setPath] = useState(samplePath(operation))
  const [body, setBody] = useState(sampled === null ? '' : JSON.stringify(sampled, null, 2))
  const [response, setResponse] = useState<Response | null>(null)
  const [isConfirming, setConfirming] = useState(false)
  const { method } = operation
  const changes = method !== 'get' && !operation.operationId.endsWith('query')
  const base = api.servers[0]?.url ?? '/'
  const curl = curlText({ base: base === '/' ? location.origin + prefix : base, method, path, body })
  const send = async (): Promise<void> => {
    setConfirming(false)
    setResponse(await sendRequest(method, path, body))
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (changes && roles.includes('admin')) setConfirming(true)
    else void send()
  }
  return (
    <form className={css.try} onSubmit={submit}>
      <div className={css.line}>
        <span className={css.method} data-method={method}>
          {method.toUpperCase()}
        </span>
        <input
          className={ui.input}
          aria-label={t('api.path')}
          value={path}
          spellCheck={false}
          onChange={(event) => setPath(event.target.value)}
        />
        <Button
          type="submit"
          look="primary"
          aria-label={t('api.sendOf', { method: method.toUpperCase(), path: operation.path })}
        >
          {t('activity.send')}
        </Button>
      </div>
      {sampled !== null && (
        <textarea
          className={ui.input}
          aria-label={t('api.body')}
          value={body}
          spellCheck={false}
          onChange={(event) => setBody(event.target.value)}
        />
      )}
      {isConfirming && (
        <div className={`${ui.banner} ${ui.bannerWarn}`} role="alert">
          <p>{t('api.confirm')}</p>
          <Button onClick={() => void send()}>{t('api.confirmSend')}</Button>
          <Button look="quiet" onClick={() => setConfirming(false)}>
            {t('action.cancel')}
          </Button>
        </div>
      )}
      <div className={css.curl}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
        <pre tabIndex={0}>{curl}</pre>
        <Button look="quiet" onClick={() => void copyText(curl)}>
          {t('me.copy')}
        </Button>
      </div>
      <div aria-live="polite">
        {response !== null && (
          <div className={css.response}>
            <p data-ok={response.isOk}>{response.line}</p>
            <details>
              <summary>{t('api.headers')}</summary>
              <pre>{response.headers}</pre>
            </details>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
            <pre tabIndex={0} aria-label={t('api.response')} role="region">
              {response.text}
            </pre>
          </div>
        )}
      </div>
    </form>
  )
}

/** Sends the body as written. The client would retry the request and explain its errors. */
async function sendRequest(method: string, path: string, body: string): Promise<Response> {
  const beganMs = performance.now()
  try {
    const response = await fetch(prefix + (path.startsWith('/') ? path : `/${path}`), {
      method: method.toUpperCase(),
      headers: {
        accept: 'application/json',
        ...pageHeaders(),
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
      },
      body: method === 'get' || body === '' ? null : body,
      credentials: 'same-origin',
      cache: 'no-store',
    })
    const text = await response.text()
    const ms = Math.round(performance.now() - beganMs)
    const line = t('api.took', { status: response.status, ms, count: text.length })
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    return { isOk: response.ok, line, headers, text: prettyText(text) }
  } catch {
    return { isOk: false, line: t('state.offline'), headers: '', text: '' }
  }
}

function prettyText(text: string): string {
  try {
    const formatted = JSON.stringify(JSON.parse(text), null, 2)
    return formatted.length > maxUnits ? `${formatted.slice(0, maxUnits)}\n…` : formatted
  } catch {
    return text.slice(0, maxUnits)
  }
}
