import fc from 'fast-check'

/** Regular expressions in the subset of MATCH_RGX (docs/operators.md), within its limits, with few different letters. */
export const arbitraryRegex: fc.Arbitrary<string> = fc
  .letrec<{ choice: string; sequence: string; part: string; atom: string }>((tie) => ({
    choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((all) => all.join('|')),
    sequence: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
    part: fc
      .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,3}'))
      .map(([atom, quantifier]) => atom + quantifier),
    atom: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc.constantFrom(
        'a',
        'b',
        '0',
        ' ',
        'я',
        '.',
        '\\.',
        '\\n',
        '\\^',
        '[ab]',
        '[^a]',
        '[0-9]',
        '[a-c0 \\]]',
        '[\\-b]',
        '[b\\\\]',
      ),
      tie('choice').map((choice) => `(${choice})`),
      tie('choice').map((choice) => `(?:${choice})`),
    ),
  }))
  .choice.filter((regex) => regex.length <= 120)
