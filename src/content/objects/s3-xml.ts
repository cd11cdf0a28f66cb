// Elements of an S3 service's XML replies: short texts of a known form, of which single values are read.
// Tested by src/content/objects/s3-client.test.ts

/** The elements of that name; S3 sends no attributes in them and does not nest them. */
export function itemsIn(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(
    ([, item = '']) => item,
  )
}

/** The text of the first element of that name; null: none. */
export function valueIn(xml: string, name: string): string | null {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? []
  return text === undefined
    ? null
    : text.replaceAll(/&(?:lt|gt|quot|apos|amp|#34);/g, (one) => entities[one] ?? one)
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&apos;': "'",
  '&amp;': '&',
}
