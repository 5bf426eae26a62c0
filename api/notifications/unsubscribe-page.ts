/**
 * The page behind the link of a mail. It asks before it ends the mail, because programs that check mails open every link; the button of a mail
 * program sends `POST` at once (RFC 8058). The link's token is the only right that is needed, so no cookie is read.
 */
import type { Express, Request, Response } from 'express';
import { limitAddress } from '../http/address-limit.ts';
import { escaped } from '../http/page.ts';
import { Windows } from '../http/windows.ts';
import { Refusal } from '../model/refusal.ts';
import { queryOf, readForm } from '../sign-in/form.ts';
import { show, shown, type PageOptions } from '../sign-in/page-frame.ts';
import { endNotificationMails } from '../store/notification-mails.ts';
import { unsubscribePath, type UnsubscribeLinks } from './unsubscribe-links.ts';

/** For each address. */
const perMinute = 60;

export function addUnsubscribePage(
  app: Express,
  links: UnsubscribeLinks,
  options: Pick<PageOptions, 'store' | 'logger'>,
): void {
  const windows = new Windows(perMinute, 60);
  const whose = (request: Request) => {
    limitAddress(windows, request);
    const token = queryOf(request).get('token') ?? '';
    const found = links.read(token);
    if (found === undefined) {
      throw new Refusal('not_found', {
        detail:
          'This link ends no mail: it is not complete, or not one of ours. Sign in, and choose under Notifications what you get by mail.',
      });
    }
    return { token, ...found };
  };
  app.get(
    unsubscribePath,
    shown(options, async (request, response) => {
      const action = `${unsubscribePath}?token=${whose(request).token}`;
      show(
        response,
        'End mail of notifications?',
        `<p>You get no more mail of an organization’s notifications. In the application you see them as before.</p><form method="post" action="${escaped(action)}"><p class="buttons"><button>End it</button></p></form>`,
      );
    }),
  );
  app.post(
    unsubscribePath,
    readForm(),
    shown(options, async (request: Request, response: Response) => {
      await endNotificationMails(options.store.read, whose(request));
      show(
        response,
        'You get no more mail',
        '<p>Notifications of this organization come in the application only. Sign in to choose otherwise.</p>',
      );
    }),
  );
}
