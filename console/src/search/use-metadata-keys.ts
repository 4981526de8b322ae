import { useQuery } from '@tanstack/react-query'
import { documents } from './documents.ts'

const maxKeys = 1_000
const maxValues = 50

/** Keys that the user's documents in these collections have; undefined: in all. */
export const useMetadataKeys = (collections: readonly string[] | undefined) =>
  useQuery({
    queryKey: ['metadata-keys', collections],
    staleTime: 60_000,
    queryFn: ({ signal }) => documents.metadataKeys({ collections, limit: maxKeys, values: maxValues, signal }),
  })

export type MetadataKeysQuery = ReturnType<typeof useMetadataKeys>
