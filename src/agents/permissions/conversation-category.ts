/** The category of tools that change nothing but the conversation: asking before a question would be a second question. */
export const conversationCategory = 'conversation';
