import type { Access } from '../../acl/decide.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import type { Principal } from '../../identity/principal.ts'

/** What the authorization of a request depends on. */
export interface AuthorizationContext {
  readonly catalog: Catalog
  readonly access: Access
  readonly principal: Principal
  /** Names used in the paths of the request; null: those of the dictionary. */
  readonly names: Names | null
}
