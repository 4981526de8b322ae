/**
 * Increase it when the terms or weights of an unchanged document change: older indexes are then rebuilt. The analyser has no
 * version of its own, so a change of stems or stop words counts too.
 */
export const termsVersion = 3
