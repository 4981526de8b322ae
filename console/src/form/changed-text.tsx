import { Suspense } from 'react'
import { lazyPart } from '../ui/part.tsx'

const DiffView = lazyPart(async () => (await import('./diff-view.tsx')).DiffView)

/** Texts of at least this length are displayed as one, with the differences marked. */
const longUnits = 60

/** "old → new"; long texts word by word. */
export function ChangedText({ from, to }: { readonly from: string; readonly to: string }) {
  const whole = (
    <>
      {from !== '' && (
        <>
          <del>{from}</del> <span aria-hidden="true">→</span>{' '}
        </>
      )}
      <ins>{to === '' ? '—' : to}</ins>
    </>
  )
  if (Math.min(from.length, to.length) < longUnits) return whole
  return (
    <Suspense fallback={whole}>
      <DiffView from={from} to={to} />
    </Suspense>
  )
}
