/** A time to wait as people say it: from two minutes on in minutes. `Retry-After` has the exact seconds. */
export const timeToWait = (seconds: number): { readonly count: number; readonly unit: 'second' | 'minute' } =>
  seconds < 120 ? { count: seconds, unit: 'second' } : { count: Math.ceil(seconds / 60), unit: 'minute' }
