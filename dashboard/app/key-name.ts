// What a key is called where it has no name: by what it begins with, as in the list of keys. Pure.

/** `shop`, or `NNwJ56r4…`. */
export function keyName({
  name,
  prefix,
}: {
  readonly name: string
  readonly prefix: string
}): string {
  return name === '' ? `${prefix}…` : name
}
