/**
 * A name or sys_id as a part of an address. Fetch and the server leave out an empty part, `.` and `..`, so a call would reach another
 * address: with the sys_id '', the list of the table instead of one record.
 *
 * @throws TypeError for these three
 */
export function pathSegment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new TypeError(`"${name}" is not a name or sys_id.`)
  return encodeURIComponent(name)
}
