import { createQuerySerializer } from 'openapi-fetch';

/** Lists are sent with commas, as the document says (`explode: false`). */
export const querySerializer = createQuerySerializer({ array: { style: 'form', explode: false } });
