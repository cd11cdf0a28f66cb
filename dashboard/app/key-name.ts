// Name of a key, or its prefix if it has none. Pure.

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
