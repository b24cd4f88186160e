"""What do customers ask that this section answers, and what is the reply?"""
