/**
 * Numbers of PostgreSQL's advisory locks, which all processes of a database share. Migrations use two more spaces of pairs: 7236500 again
 * (`docket_documents.is_left`) and 723641 (hierarchies); the locks of positions in the log of changes are these positions themselves.
 */
export const LOCKS = {
  /** The one Docket that a cluster belongs to, for as long as it lives. */
  clusterOwner: 7_236_401_258,
  /** A change of the schema as a whole. */
  migrations: 7_236_401_259,
  demoData: 7_236_401_260,
  /** One change of the dictionary at a time, from the first look to the commit. */
  dictionary: 7_236_401_261,
  /** The process that builds indexes: two that build the same index would wait for each other for ever. */
  indexBuilding: 7_236_401_262,
  /** Shared by backups that copy files, exclusive for the removal of files. */
  blobs: 7_236_401_263,
  /** A restore, for as long as it runs. */
  restore: 7_236_401_264,
  /** The beginning of a history of the database (`docket_system.begin_database_history`). */
  databaseHistory: 7_236_401_265,
  /** The process that adds earlier records to docket_system.updated_record. */
  updateOrder: 7_236_401_266,
  /** Plus the number of the collection: one process at a time follows its table. */
  firstFollowedCollection: 7_236_500_000_000,
} as const

/** The first number of a pair. These locks differ from all that have one number. */
export const LOCK_SPACES = {
  /** With a hash of the table: imports that have a key. */
  keyedImports: 723_640,
  /** With the number of a process that works beside requests. */
  workers: 7_236_500,
} as const
