export function storageName(storage: string | null): string {
  if (storage === null) throw new Error('a column without storage was planned as a value')
  return storage
}
