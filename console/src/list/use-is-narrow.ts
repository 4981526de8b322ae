import { useEffect, useState } from 'react'

/** Rows are cards on a narrow screen. */
export function useIsNarrow(): boolean {
  const query = '(max-width: 640px)'
  const [isNarrow, setNarrow] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const listen = (): void => setNarrow(media.matches)
    media.addEventListener('change', listen)
    return () => media.removeEventListener('change', listen)
  }, [])
  return isNarrow
}
