import type { ApiPart } from '../http/openapi/write-openapi.ts'
import { sessionPart } from './access/session-endpoints.ts'
import { documentPart } from './documents/document-endpoints.ts'

/** What declared operations add to the OpenAPI document. */
export const declaredParts: readonly ApiPart[] = [documentPart, sessionPart]
