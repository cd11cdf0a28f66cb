// Code snippets with the endpoints of this server and a key that stays in the browser.
import { useState } from 'preact/hooks'
import { type ApiBases, rpcPath } from '../../app/api-bases.ts'
import { useOwnKey } from '../../app/own-key.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { masked, type SnippetName, snippetNames, snippetText } from './snippet-texts.ts'

const credentialForm = /^[A-Za-z0-9_-]{8,128}$/

export function Snippets({
  bases,
  networks,
}: {
  readonly bases: ApiBases
  /** Default first. */
  readonly networks: readonly string[]
}) {
  const { key, secret, set } = useOwnKey()
  const [name, setName] = useState<SnippetName>('curl')
  const [network, setNetwork] = useState('')
  const isFiles = name === 'kubo-rpc-client'
  const textFor = (shown: { readonly key: string; readonly secret: string }): string =>
    snippetText(name, {
      rpcUrl: bases.base + rpcPath(network === '' ? null : network, shown.key),
      base: bases.base,
      ...shown,
    })
  const filled = { key: key || '<API_KEY>', secret: secret || '<API_KEY_SECRET>' }
  return (
    <Card
      title="Call it from your code"
      about="Paste a key to fill in the snippets. It stays in this browser tab."
    >
      <div class="grid">
        <TextField
          title="API key"
          value={key}
          autocomplete="off"
          placeholder="cairn_live_…"
          error={isForm(key) ? null : 'This does not look like an API key.'}
          onValue={(value) => set({ key: value.trim(), secret })}
        />
        <TextField
          title="Secret"
          type="password"
          value={secret}
          autocomplete="off"
          hint="Required by the IPFS API."
          error={isForm(secret) ? null : 'This does not look like a secret.'}
          onValue={(value) => set({ key, secret: value.trim() })}
        />
        {networks.length > 1 && (
          <SelectField
            title="Network"
            value={network}
            disabled={isFiles}
            options={networks.map((one, at) => ({
              value: at === 0 ? '' : one,
              title: at === 0 ? `${one} (the default)` : one,
            }))}
            onValue={setNetwork}
          />
        )}
      </div>
      <Tabs
        title="Client"
        tabs={snippetNames.map((one) => ({ name: one, title: one }))}
        chosen={name}
        onChoose={setName}
      >
        <CodeBlock
          title={`${name} snippet`}
          text={textFor({ key: masked(filled.key), secret: masked(filled.secret) })}
          copied={textFor(filled)}
        />
      </Tabs>
    </Card>
  )
}

function isForm(text: string): boolean {
  return text === '' || credentialForm.test(text)
}
