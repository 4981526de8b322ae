import { Component, type ComponentType, lazy, type ReactNode, useState } from 'react'
import { loadPart } from '../load-part.ts'
import { releaseKeys } from './held-keys.ts'
import { ErrorBanner, messageOf } from './states.tsx'
import { showToast } from './toast.tsx'

type Load<P> = () => Promise<ComponentType<P>>

const lazily = <P extends object>(load: Load<P>) => lazy(async () => ({ default: await loadPart(load) }))

/** A component in a script of its own. If the script cannot be loaded, an error stands in its place, and the page around it stays. */
export function lazyPart<P extends object>(load: Load<P>): ComponentType<P> {
  let Loaded = lazily(load)
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, outside components, as React.lazy is
  return function Part(props: P) {
    const [attempt, setAttempt] = useState(0)
    const retry = (): void => {
      Loaded = lazily(load)
      setAttempt(attempt + 1)
    }
    return (
      <PartBoundary key={attempt} displayed={(error) => <ErrorBanner error={error} onRetry={retry} />}>
        <Loaded {...props} />
      </PartBoundary>
    )
  }
}

interface Closable {
  readonly onClose: (end: 'stay') => void
}

/** The same for what has no place in the page, such as a dialog: a message says that it cannot be opened, and it is closed. */
export function lazyDialog<P extends Closable>(load: Load<P>): ComponentType<P> {
  let Loaded = lazily(load)
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, outside components, as React.lazy is
  return function DialogPart(props: P) {
    const giveUp = (error: unknown): void => {
      Loaded = lazily(load)
      showToast(messageOf(error))
      props.onClose('stay')
    }
    return (
      <PartBoundary displayed={() => null} onError={giveUp}>
        <Loaded {...props} />
      </PartBoundary>
    )
  }
}

interface BoundaryProps {
  readonly children: ReactNode
  readonly displayed: (error: unknown) => ReactNode
  readonly onError?: (error: unknown) => void
}

class PartBoundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown): void {
    releaseKeys()
    this.props.onError?.(error)
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : this.props.displayed(this.state.error)
  }
}
