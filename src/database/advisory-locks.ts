/**
 * Keys of PostgreSQL's advisory locks, which all processes of a database share. Migrations use two more spaces of pairs: 7236500 again
 * (`docket_documents.is_left`) and 723641 (hierarchies); the keys of locks for sequence numbers in the change log are these numbers
 * themselves.
 */
export const LOCKS = {
  /** The one Docket process that owns a cluster, for its lifetime. */
  clusterOwner: 7_236_401_258,
  /** A change of the schema as a whole. */
  migrations: 7_236_401_259,
  demoData: 7_236_401_260,
  /** One change of the dictionary at a time, from its first read to the commit. */
  dictionary: 7_236_401_261,
  /** The process that builds indexes: two that build the same index would wait for each other forever. */
  indexBuilding: 7_236_401_262,
  /** Shared by backups that copy files, exclusive for the deletion of files. */
  blobs: 7_236_401_263,
  /** A restore, for as long as it runs. */
  restore: 7_236_401_264,
  /** The beginning of a history of the database (`docket_system.begin_database_history`). */
  databaseHistory: 7_236_401_265,
  /** The process that removes history that is no longer kept. */
  historyRemoval: 7_236_401_267,
  /** The process that adds earlier records to docket_system.updated_record. */
  updateOrder: 7_236_401_266,
  /** Creates the tables for pgvector. */
  vectorTables: 7_236_401_268,
  /** The process that builds graphs of vectors. */
  vectorGraphs: 7_236_401_269,
  /** One request that makes a collection follow a table at a time, until the collection is bound and follows. */
  followSettings: 7_236_401_270,
  /** Plus the number of the collection: one process at a time follows its table. */
  firstFollowedCollection: 7_236_500_000_000,
} as const

/** The first key of a pair. These locks differ from all that have one key. */
export const LOCK_SPACES = {
  /** With a hash of the table: imports with a key column. */
  keyedImports: 723_640,
  /** With the number of a process that does background work. */
  workers: 7_236_500,
} as const
