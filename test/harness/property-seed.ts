import fc from 'fast-check'

/**
 * The properties try the same cases on every run: a commit that passed passes again, and what fails can be run again as it was.
 * `DOCKET_LAW_SEED=random` tries others, for a night or before a release; a number tries those of that seed. fast-check names the
 * seed of whatever fails.
 */
const requested = process.env['DOCKET_LAW_SEED']
if (requested !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(requested ?? 20_261_121) })
