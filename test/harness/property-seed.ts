import fc from 'fast-check'

/**
 * Properties try the same cases on every run: a commit that passed passes again, and a failure can be repeated.
 * `DOCKET_LAW_SEED=random` tries other cases, for long runs or before a release; a number tries those of this seed. fast-check reports
 * the seed of a failure.
 */
const requested = process.env['DOCKET_LAW_SEED']
if (requested !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(requested ?? 20_261_121) })
