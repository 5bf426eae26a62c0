import { hiddenFields, type Browser } from '../browser/browser.ts';

/** The access token of a device that the person in this browser let in at the service with this URL. */
export async function accessToken(url: string, browser: Browser): Promise<string> {
  const oauth = async (path: string, form: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ client_id: 'ledgerhouse-cli', ...form });
    const answer = await fetch(`${url}/oauth/${path}`, { method: 'POST', body });
    return (await answer.json()) as Record<string, string>;
  };
  const device = await oauth('device_authorization', {});
  const page = await browser.open(device['verification_uri_complete'] ?? '');
  const form = { ...hiddenFields(page), decision: 'approved' };
  await browser.open(`${url}/device`, { form });
  const tokens = await oauth('token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device['device_code'] ?? '',
  });
  return tokens['access_token'] ?? '';
}
