// A text as a QR code, drawn here: no picture is fetched.
import { encode } from 'uqr'

/** Dark on light whatever the colours of the page are: cameras want it so. */
export function QrCode({ text, title }: { readonly text: string; readonly title: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={title}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
