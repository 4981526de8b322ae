import { t } from '../messages/i18n.ts'
import css from './api.module.css'
import { type Api, inWords, type Operation, resolve, typeText } from './describe.ts'
import { TextWithCode } from './text-with-code.tsx'
import { TryRequest } from './try-request.tsx'

interface OperationPartProps {
  readonly api: Api
  readonly operation: Operation
  readonly isOpen: boolean
}

export function OperationPart({ api, operation, isOpen }: OperationPartProps) {
  const { method, path, summary, description = '', all, responses, operationId } = operation
  return (
    <details className={css.operation} open={isOpen} id={operationId}>
      <summary>
        <span className={css.method} data-method={method}>
          {method.toUpperCase()}
        </span>
        <code>{path}</code>
        <span className={css.summary}>{inWords(api, summary)}</span>
      </summary>
      <div className={css.operationBody}>
        {description !== '' && (
          <p>
            <TextWithCode text={description} />
          </p>
        )}
        {all.length > 0 && (
          <details>
            <summary>{t('api.parameters', { count: all.length })}</summary>
            <dl className={css.parameters}>
              {all.map((parameter) => (
                <div key={`${parameter.in} ${parameter.name}`}>
                  <dt>
                    <code>{parameter.name}</code> {typeText(api, parameter.schema)}
                    {parameter.required === true && `, ${t('form.mandatory').toLowerCase()}`}
                    {parameter.in === 'header' && ', HTTP header'}
                  </dt>
                  <dd>
                    <TextWithCode text={parameter.description ?? ''} />
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        )}
        <details>
          <summary>{t('api.responses', { list: Object.keys(responses).join(', ') })}</summary>
          <dl className={css.parameters}>
            {Object.entries(responses).map(([status, response]) => (
              <div key={status}>
                <dt>
                  <code>{status}</code>
                </dt>
                <dd>
                  <TextWithCode text={resolve(api, response).description ?? ''} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
        <TryRequest api={api} operation={operation} />
      </div>
    </details>
  )
}
